"""History of one object: its versions, any two of them compared, who set each field; and objects that are gone."""

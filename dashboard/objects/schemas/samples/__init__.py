"""Sample objects of a kind, made from its schema, and repaired from the API server's answers.

sample         sample of an object or a value: what is required, with values that the schema accepts
alternatives   schemas that a value may follow, where oneOf, anyOf and allOf leave a choice
scalars        texts and numbers that fit formats, bounds and patterns
pattern_text   short text that a regular expression matches
rule_edits     changes of a map that a rule in CEL asks for
repair         changes of a sample that a refusal of the API server asks for
"""

"""The form beside the YAML, made from the kind's schema. The YAML is the one model: what is changed in the form is
written into the text before anything else happens, and what was changed in both, differently, is asked about.

  node          the tree that templates render: fields, groups, lists, maps
  build         that tree, from schema, object and what is open; what is over its limit is held back
  controls      what a field is edited with, and its value as text
  words         descriptions, bounds and rules as sentences
  alternatives  fields of which the schema wants one
  search        fields by words
  opened        what is open although the text does not have it
  fill          what was typed, into the text
  press         add, remove, move, choose
"""

from dashboard.edits.forms.build import Shown, build_form
from dashboard.edits.forms.fill import apply_form, posted_fields
from dashboard.edits.forms.node import Form
from dashboard.edits.forms.press import Pressed, press

__all__ = ["Form", "Pressed", "Shown", "apply_form", "build_form", "posted_fields", "press"]

"""Form beside the YAML of an object, made from the kind's schema.

The YAML is the only model: changed inputs are written into the text before anything else happens, and a field that was
changed differently in both is reported.

  form_tree       tree that templates render: fields, groups, lists, maps
  build           builder of that tree, from schema, object and open fields; nodes above the limit are left out
  outline         sections of a large form
  context         object, base and form input
  controls        control of a field, and its value as text
  help            descriptions, bounds and rules as sentences
  alternatives    alternative fields of the schema
  search          search for fields by words
  expanded_paths  open fields that the text does not have
  apply_to_yaml   form input written into the text
  button_presses  add, remove, move, choose
  input_names     names of the inputs
"""

from dashboard.pages.forms.apply_to_yaml import apply_form, form_fields
from dashboard.pages.forms.build import FormContext, build_form
from dashboard.pages.forms.button_presses import ButtonResult, press
from dashboard.pages.forms.form_tree import Form

__all__ = ["ButtonResult", "Form", "FormContext", "apply_form", "build_form", "form_fields", "press"]

"""Every construct, by group."""

from tests.constructs import (
    builtins_and_library,
    changes,
    classes,
    collections_of_values,
    control_flow,
    dataclasses_and_tuples,
    enums,
    exceptions,
    functions_and_closures,
    identity_and_types,
    iterators,
    module_state,
    operators,
    ordinary_helpers,
    ordinary_rules,
    overriding,
    plain_layout_values,
    properties,
    quantifiers,
    strings_and_formatting,
    truth,
    values_of_fields,
)
from tests.constructs.construct import Construct

#: The constructs of each file, by the name of the file.
GROUPS: dict[str, tuple[Construct, ...]] = {
    "builtins_and_library": builtins_and_library.CONSTRUCTS,
    "changes": changes.CONSTRUCTS,
    "classes": classes.CONSTRUCTS,
    "collections_of_values": collections_of_values.CONSTRUCTS,
    "control_flow": control_flow.CONSTRUCTS,
    "dataclasses_and_tuples": dataclasses_and_tuples.CONSTRUCTS,
    "enums": enums.CONSTRUCTS,
    "exceptions": exceptions.CONSTRUCTS,
    "functions_and_closures": functions_and_closures.CONSTRUCTS,
    "identity_and_types": identity_and_types.CONSTRUCTS,
    "iterators": iterators.CONSTRUCTS,
    "module_state": module_state.CONSTRUCTS,
    "operators": operators.CONSTRUCTS,
    "ordinary_helpers": ordinary_helpers.CONSTRUCTS,
    "ordinary_rules": ordinary_rules.CONSTRUCTS,
    "overriding": overriding.CONSTRUCTS,
    "plain_layout_values": plain_layout_values.CONSTRUCTS,
    "properties": properties.CONSTRUCTS,
    "quantifiers": quantifiers.CONSTRUCTS,
    "strings_and_formatting": strings_and_formatting.CONSTRUCTS,
    "truth": truth.CONSTRUCTS,
    "values_of_fields": values_of_fields.CONSTRUCTS,
}

EVERY: tuple[Construct, ...] = tuple(each for group in GROUPS.values() for each in group)

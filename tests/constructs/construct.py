"""One construct of Python, and the places of a protocol file that it fills."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Construct:
    """Code that a user could write; `template.py` puts the code into a protocol."""

    #: unique, in kebab case
    name: str
    #: statements in the body of the rule `go(self, node: Node)`, after `require(node.n < 3)`
    rule: str = ""
    #: code of the module before the classes `Node` and `Toy`
    prelude: str = ""
    #: further methods of the protocol class
    methods: str = ""
    #: further fields and methods of `Node`
    fields: str = ""
    #: body of the `@always` property `claim(state: Toy) -> bool`
    prop: str = "return True"
    #: code of the module after the classes; can set PROTOCOLS and PROPERTIES anew
    after: str = ""

"""Raising, catching and cleaning up."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct(
        "try-except-around-read",
        rule="""
        try:
            node.out = node.maybe + 1
        except TypeError:
            node.out = 9
        """,
    ),
    Construct(
        "try-except-around-optional-entity",
        rule="""
        try:
            node.out = node.peer.left
        except AttributeError:
            node.out = 9
        """,
    ),
    Construct(
        "try-except-around-record-part",
        rule="""
        try:
            node.out = node.mail.text
        except AttributeError:
            node.out = 9
        """,
    ),
    Construct(
        "try-except-exception",
        rule="""
        try:
            node.left = node.left + 2
        except Exception:
            node.out = 9
        """,
    ),
    Construct(
        "try-except-bare",
        rule="""
        try:
            require(node.flag)
            node.out = 1
        except:
            node.out = 9
        """,
    ),
    Construct(
        "try-except-base-exception",
        rule="""
        try:
            if node.flag:
                node.out = 1
            else:
                node.out = 2
        except BaseException:
            node.out = 9
        """,
    ),
    Construct(
        "try-finally",
        rule="""
        try:
            node.out = node.left
        finally:
            node.hit = True
        """,
    ),
    Construct(
        "try-finally-with-require",
        rule="""
        try:
            require(node.flag)
        finally:
            node.hit = True
        """,
    ),
    Construct(
        "try-finally-with-return",
        rule="""
        try:
            node.out = 1
            return
        finally:
            node.hit = node.flag
        """,
    ),
    Construct(
        "try-else",
        rule="""
        try:
            x = node.slots[node.number]
        except IndexError:
            node.out = 9
        else:
            node.out = x + 1
        """,
    ),
    Construct(
        "try-around-plain-lookup",
        rule="""
        try:
            node.out = node.weights["z"]
        except KeyError:
            node.out = 9
        """,
    ),
    Construct(
        "try-around-plain-index",
        rule="""
        try:
            node.out = self.nodes.index(node.friend)
        except ValueError:
            node.out = 9
        """,
    ),
    Construct(
        "try-around-array-index",
        rule="""
        try:
            node.out = node.slots[node.left]
        except IndexError:
            node.out = 9
        """,
    ),
    Construct(
        "try-around-full-queue",
        rule="""
        try:
            node.box.put(Note(text=0))
        except Exception:
            node.out = 9
        """,
    ),
    Construct(
        "try-around-empty-queue",
        rule="""
        try:
            node.box.take()
        except IndexError:
            node.out = 9
        """,
    ),
    Construct(
        "try-around-assert",
        rule="""
        try:
            assert node.left < 2
        except AssertionError:
            node.out = 9
        """,
    ),
    Construct(
        "try-around-removal",
        rule="""
        try:
            node.seen.remove(1)
        except KeyError:
            node.out = 9
        """,
    ),
    Construct(
        "try-around-division",
        rule="""
        try:
            node.out = 4 // node.left
        except ZeroDivisionError:
            node.out = 9
        """,
    ),
    Construct(
        "try-around-enum-lookup",
        rule="""
        try:
            node.st = S(node.left)
        except ValueError:
            node.out = 9
        """,
    ),
    Construct(
        "except-group",
        rule="""
        try:
            node.out = node.left
            if node.flag:
                raise ExceptionGroup("both", [ValueError(), TypeError()])
        except* ValueError:
            node.out = 8
        except* TypeError:
            node.hit = True
        """,
    ),
    Construct("raise-value-error", rule='if node.flag:\n    raise ValueError("flag")'),
    Construct("raise-assertion-error", rule="if node.flag:\n    raise AssertionError"),
    Construct("raise-not-implemented", rule="if node.flag:\n    raise NotImplementedError"),
    Construct(
        "raise-and-catch-own",
        prelude="""
        class Refused(Exception):
            pass
        """,
        rule="""
        try:
            if node.flag:
                raise Refused
            node.out = 1
        except Refused:
            node.out = 2
        """,
    ),
    Construct(
        "raise-with-value-of-state",
        prelude="""
        class Found(Exception):
            def __init__(self, value):
                self.value = value
        """,
        rule="""
        try:
            raise Found(node.left)
        except Found as found:
            node.out = found.value
        """,
    ),
    Construct(
        "raise-in-helper-caught-in-rule",
        prelude="""
        def check(node):
            if node.left > 1:
                raise ValueError
            return node.left
        """,
        rule="""
        try:
            node.out = check(node)
        except ValueError:
            node.out = 9
        """,
    ),
    Construct(
        "raise-in-define",
        methods="""
        @define
        def checked(self, node: Node) -> int:
            if node.left > 1:
                raise ValueError
            return node.left
        """,
        rule="node.out = self.checked(node)",
    ),
    Construct(
        "raise-stop-iteration",
        prelude="""
        def first(values):
            for value in values:
                if value > 1:
                    return value
            raise StopIteration
        """,
        rule="""
        try:
            node.out = first((node.left, node.right))
        except StopIteration:
            node.out = 9
        """,
    ),
    Construct(
        "raise-from",
        rule="""
        try:
            if node.flag:
                raise KeyError
        except KeyError as error:
            raise ValueError from error
        """,
    ),
    Construct("assert-false", rule="if node.flag:\n    assert False"),
    Construct(
        "assert-unreachable", rule='if node.left > 3:\n    assert False, "too large"\nnode.out = 1'
    ),
    Construct(
        "exception-compared",
        rule="""
        error = None
        try:
            if node.flag:
                raise ValueError
        except ValueError as caught:
            error = caught
        node.hit = error is None
        """,
    ),
    Construct("keyboard-interrupt", rule="if node.flag:\n    raise KeyboardInterrupt"),
    Construct(
        "recursion-error",
        prelude="""
        def deep(value):
            return deep(value)
        """,
        rule="""
        try:
            deep(node.left)
        except RecursionError:
            node.out = 9
        """,
    ),
    Construct(
        "exception-in-property",
        prop="""
        try:
            return state.nodes[0].maybe < 3
        except TypeError:
            return False
        """,
    ),
    Construct(
        "raise-in-property",
        prop="""
        if state.nodes[0].flag:
            raise ValueError
        return True
        """,
    ),
    Construct("assert-in-property", prop="assert state.nodes[0].left < 2\nreturn True"),
)

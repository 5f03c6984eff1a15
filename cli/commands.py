"""The commands of Finale: groups, examples and exit codes. Help and docs/commands.md print them.

Former names of commands and flags still work, and stderr gives the present name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: The exit codes of a command that has no others.
USUAL = (
    "0 as expected, 1 an expectation failed, 2 bad input, 3 a limit was reached, 130 interrupted"
)
#: The exit codes of a command that writes or prints something, and expects nothing.
DONE = "0 done, 2 bad input, 130 interrupted"
#: The exit codes of a request to a run of the engine.
ANSWERED = (
    "0 done, 1 the job could not do it, 2 no job runs there, 3 no answer in time, 130 interrupted"
)
#: What the commands of two words have in common.
ENGINE = "Run, stop, save or cancel a job on the small engine."


@dataclass(frozen=True)
class Example:
    """A command line, and what it does."""

    does: str
    line: str


@dataclass(frozen=True)
class Command:
    """What the help of a command says besides its flags."""

    name: str
    """One word, or for a command of the engine two words."""
    place: str
    """The module in `cli`, and the function in it."""
    sentence: str
    examples: tuple[Example, ...]
    exits: str = USUAL
    more: str = ""
    """Paragraphs that follow the sentence."""

    @property
    def help(self) -> str:
        """The text above the flags. Lists of commands show its first line."""
        return f"{self.sentence}\n\n{self.more}" if self.more else self.sentence

    @property
    def epilogue(self) -> str:
        """The text below the flags."""
        lines = [f"  # {each.does}\n  {each.line}" for each in self.examples]
        return "Examples:\n" + "\n\n".join([*lines, f"Exit codes: {self.exits}."])


@dataclass(frozen=True)
class CommandGroup:
    """Commands for one purpose."""

    title: str
    commands: tuple[Command, ...]


#: The groups are in the order of a user's day, and so are the commands of each group.
COMMANDS = (
    CommandGroup(
        "Check a claim",
        (
            Command(
                "check",
                "check:check",
                "Check specs, and compare the verdicts with the expected ones.",
                (
                    Example("Check all specs of a folder.", "finale check specs/final-checkpoint"),
                    Example(
                        "Check one property of a spec, with a larger bound.",
                        "finale check specs/final-checkpoint/pair.toml --property finished "
                        "--set bounds.checkpoints=2",
                    ),
                ),
            ),
            Command(
                "which",
                "which:which",
                "Find the options, bounds and jobs for which a property holds.",
                (
                    Example(
                        "For which answers to a lost trigger does each checkpoint end?",
                        "finale which specs/final-checkpoint/finish-during-trigger-aborts.toml "
                        "--property checkpoint-ends --vary options.finish_race=abort,retrigger",
                    ),
                    Example(
                        "For how many checkpoints does it end?",
                        "finale which specs/final-checkpoint/pair.toml --property checkpoint-ends "
                        "--vary bounds.checkpoints=1..2 --max-steps 15",
                    ),
                ),
                "0 each combination has a verdict, 2 bad input, 3 a verdict is unknown, 130 "
                "interrupted",
            ),
            Command(
                "sweep",
                "sweep:sweep",
                "Check a spec in all cells of a matrix; skip unchanged cells.",
                (
                    Example(
                        "Check a spec in 1 296 settings.",
                        "finale sweep examples/sweeps/finish.toml",
                    ),
                    Example(
                        "Print the grid of one property.",
                        "finale sweep examples/sweeps/finish.toml --property checkpoint-ends",
                    ),
                ),
                "0 each cell has a result, 2 bad input or a cell with an error, 3 a cell reached a "
                "limit, 130 interrupted (the same command continues the sweep)",
            ),
            Command(
                "prove",
                "prove:prove",
                "Prove properties for runs of any length, or for all jobs.",
                (
                    Example(
                        "Prove the invariants of a spec for runs of any length.",
                        "finale prove specs/final-checkpoint/pair.toml",
                    ),
                    Example(
                        "Prove facts about jobs of any shape and size.", "finale prove --all-jobs"
                    ),
                ),
            ),
            Command(
                "report",
                "report:report",
                "Write one HTML page: verdicts, diagrams, traces.",
                (
                    Example(
                        "Write a page about one spec.",
                        "finale report specs/final-checkpoint/pair.toml -o report.html",
                    ),
                    Example(
                        "Write a page about all mistakes that are planted in one protocol.",
                        "finale report specs/two-phase-commit/broken -o mistakes.html",
                    ),
                ),
            ),
        ),
    ),
    CommandGroup(
        "Understand a verdict",
        (
            Command(
                "trace",
                "trace:trace",
                "Print a counterexample or a witness step by step.",
                (
                    Example(
                        "Print the counterexample of a spec.",
                        "finale trace specs/legacy-finish/natural-end-loses-records.toml",
                    ),
                    Example(
                        "Draw it as a sequence diagram.",
                        "finale trace specs/legacy-finish/natural-end-loses-records.toml "
                        "--format svg -o trace.svg",
                    ),
                ),
                DONE,
            ),
            Command(
                "explain",
                "explain:explain",
                "Say what a property, rule id, hazard, variant, error or word means.",
                (
                    Example("Explain the id of a rule in a trace.", "finale explain PL-4"),
                    Example("Explain your own variant.", "finale explain eager --protocols mine"),
                ),
                DONE,
            ),
            Command(
                "show",
                "show:show",
                "Show the job, options, rules and properties of a spec.",
                (
                    Example(
                        "Show all of a spec.", "finale show specs/final-checkpoint/figure.toml"
                    ),
                    Example(
                        "Show the body of one rule.",
                        "finale show specs/final-checkpoint/pair.toml --rule apply_acknowledgement",
                    ),
                ),
                DONE,
            ),
            Command(
                "list",
                "listing:listing",
                "List protocols, properties, options or rules.",
                (
                    Example("List all properties.", "finale list properties"),
                    Example(
                        "List the options of one protocol.",
                        "finale list options --of final-checkpoint",
                    ),
                ),
                DONE,
            ),
            Command(
                "explore",
                "explore:explore",
                "Walk the states of a spec in a browser, on this machine.",
                (
                    Example(
                        "Walk from the initial state, in a browser that opens.",
                        "finale explore specs/final-checkpoint/pair.toml --open",
                    ),
                    Example(
                        "Walk along a trace.",
                        "finale explore specs/final-checkpoint/pair.toml --trace trace.itf.json",
                    ),
                ),
                "130 interrupted, which is how it ends; 2 bad input",
            ),
            Command(
                "simulate",
                "simulate:simulate",
                "Take random runs, or choose each step yourself.",
                (
                    Example(
                        "Take 1000 random runs.",
                        "finale simulate specs/final-checkpoint/pair.toml --runs 1000",
                    ),
                    Example(
                        "Choose each step yourself.",
                        "finale simulate specs/final-checkpoint/pair.toml --interactive",
                    ),
                ),
                "0 no run violates a property, unless the spec expects it; 1 a run does; 2 bad "
                "input; 3 the time limit was reached; 130 interrupted",
            ),
        ),
    ),
    CommandGroup(
        "Review a change",
        (
            Command(
                "new",
                "new:new",
                "Begin a review: write a variant, a spec, a CI file, and a page.",
                (
                    Example("Begin a review of a rule that is often changed.", "finale new review"),
                    Example(
                        "Begin a review of a rule of another protocol.",
                        "finale new review --of yardstick --rule snapshot",
                    ),
                ),
                DONE,
            ),
            Command(
                "review",
                "review:review",
                "Try a change on all settings of its protocol, and say what differs.",
                (
                    Example(
                        "Review all variants of a folder.", "finale review --protocols protocols"
                    ),
                    Example(
                        "Review another value of an option.",
                        "finale review --of final-checkpoint --set options.finish_race=retrigger",
                    ),
                ),
                "0 no verdict is worse; 1 a property that held is violated or vacuous, or a "
                "reachable state is lost; 2 bad input; 3 a verdict is unknown or not asked any "
                "more, or a limit was reached; 130 interrupted",
            ),
            Command(
                "impact",
                "impact:impact",
                "Say which rules a change of Flink touches, from class files or sources.",
                (
                    Example(
                        "Compare your build with a release, as a comment for a pull request.",
                        "finale impact 2.3.0 build/lib --format markdown -o comment.md",
                    ),
                    Example(
                        "Compare the sources of a branch with those of the main branch.",
                        "finale impact --source flink main..my-branch",
                    ),
                ),
                "0 no method that a rule names and no log line changed, 1 one of them changed, "
                "2 bad input, 130 interrupted",
            ),
            Command(
                "diff",
                "diff:diff",
                "Tell whether two specs are the same to an observer.",
                (
                    Example(
                        "Compare a spec with another value of an option.",
                        "finale diff specs/final-checkpoint/pair.toml "
                        "--set options.finish_race=retrigger",
                    ),
                    Example(
                        "Compare a spec under two releases of Flink.",
                        "finale diff specs/final-checkpoint/pair.toml --release V3 --release V4",
                    ),
                ),
                "0 the observer sees no difference, 1 there is a difference, 2 bad input, 3 "
                "unknown because a limit was reached, 130 interrupted",
            ),
            Command(
                "weaken",
                "weaken:weaken",
                "Leave out each assumption of the rules; say which properties break.",
                (
                    Example(
                        "Leave out each assumption in turn.",
                        "finale weaken specs/final-checkpoint/pair.toml",
                    ),
                    Example(
                        "Leave out one assumption, and ask a real Flink 2.3.",
                        "finale weaken specs/final-checkpoint/pair.toml --assumption is-released "
                        "--flink 2.3",
                    ),
                ),
                "0 each assumption was judged, 1 with --flink: Flink does not keep an assumption, "
                "or not by the method that is named, 2 bad input, 3 a search reached a limit, or "
                "Flink could not be asked about an assumption, 130 interrupted (the same command "
                "takes what it found from the cache; --flink needs another folder)",
            ),
            Command(
                "coverage",
                "coverage:coverage",
                "Say which branches of rules, and which failures in which phases, no spec reaches.",
                (
                    Example(
                        "List the gaps of one protocol, with a setting that closes each.",
                        "finale coverage --of operator-coordinator --close",
                    ),
                    Example(
                        "Write a page about your own specs.",
                        "finale coverage specs --protocols protocols -o coverage.html",
                    ),
                ),
                "0 each branch and each pair is reached or has a reason, 1 there is a gap, a "
                "reason is out of date, or too many pairs have reasons, 2 bad input, 130 "
                "interrupted (the same command continues from the cache)",
            ),
            Command(
                "hunt",
                "hunt:hunt",
                "Look for violations that no spec describes, in small settings.",
                (
                    Example("Hunt in all protocols of Flink's main branch.", "finale hunt"),
                    Example(
                        "Hunt in one protocol, with your own specs as the known violations.",
                        "finale hunt stop-with-savepoint --known specs --output hunt",
                    ),
                ),
                "0 no new violation in all settings, 1 a new violation was found, 2 bad input or "
                "every setting is refused, 3 no new violation and some settings are left or "
                "reached a limit, 130 interrupted (the same command continues the hunt)",
            ),
        ),
    ),
    CommandGroup(
        "Judge logs of real jobs",
        (
            Command(
                "validate",
                "validate:validate",
                "Check logs of real runs against the properties.",
                (
                    Example("Judge the logs of a cluster.", "finale validate flink-*.log"),
                    Example(
                        "Also search a run of the protocol that explains each job.",
                        "finale validate logs/ --accept",
                    ),
                ),
                "0 each job has a ✓; 1 a property is violated, stuck or overdue, or was stuck for "
                "a while, or a log is rejected; 2 bad input; 3 a job has a ? (the log leaves a "
                "property undecided, no run was found that explains the job, or the job was not "
                "judged), or no job was found; 130 interrupted",
            ),
            Command(
                "blocked",
                "blocked:blocked",
                "Show what the unfinished tasks of a log wait for.",
                (
                    Example(
                        "Show what a job waits for at the end of its logs.",
                        "finale blocked jobmanager.log taskmanager.log",
                    ),
                    Example(
                        "Show what it waited for at a line.", "finale blocked flink.log --at 812"
                    ),
                ),
                "0 the log has a job, 2 bad input, 3 no job was found, 130 interrupted",
            ),
            Command(
                "watch",
                "watch:watch",
                "Check logs of real runs while they grow.",
                (
                    Example("Watch a folder until Ctrl-C.", "finale watch logs/"),
                    Example("Judge the present lines, then end.", "finale watch logs/ --once"),
                ),
                "130 interrupted, which is how a watch ends; with --once 0 nothing found, 1 a "
                "finding or a rejected log; 2 bad input, or Spark failed",
            ),
            Command(
                "mine",
                "mine:mine",
                "Tell which of many runs break what nearly all of them do.",
                (
                    Example("Compare all runs below a folder.", "finale mine logs/"),
                    Example(
                        "Compare few runs.", "finale mine 'logs/run-*.tar.gz' --least 5 --share 20"
                    ),
                ),
                "0 the logs have a job, whether or not a run breaks a regularity; 2 bad input; 3 "
                "no job was found; 130 interrupted",
            ),
            Command(
                "logging",
                "blocked:logging",
                "Print the log levels that finale validate needs.",
                (
                    Example(
                        "Add the levels to the configuration of a cluster.",
                        "finale logging >> conf/log4j.properties",
                    ),
                    Example("Print the levels of a release.", "finale logging --table flink-2.3"),
                ),
                DONE,
            ),
        ),
    ),
    CommandGroup(
        "Compare with the real Flink",
        (
            Command(
                "reproduce",
                "reproduce:reproduce",
                "Drive a real Flink along a counterexample, and judge what it does.",
                (
                    Example(
                        "Drive the installed Flink along the counterexample of a spec.",
                        "finale reproduce "
                        "specs/final-checkpoint/broken/finish-during-trigger-hangs.toml",
                    ),
                    Example(
                        "Drive another Flink along 20 dangerous orders that must do no damage.",
                        "finale reproduce specs/final-checkpoint/pair.toml --orders 20 "
                        "--flink flink-2.3.0",
                    ),
                ),
                "0 reproduced in each run, 1 not reproduced in some run, or the log of a run is "
                "rejected, 2 bad input, 3 not taken or not seen in some run, 130 interrupted. "
                "With --orders: 0 all survived, 1 some order did damage, 2 bad input, 3 too few "
                "orders were taken, 130 interrupted. With --without: 0 kept, and by that method, 1 "
                "not kept, or not by that method, 2 bad input, 3 not takeable, 130 interrupted",
            ),
            Command(
                "scenario",
                "scenario:scenario",
                "Run scenarios, and compare the results with the expected ones.",
                (
                    Example(
                        "Compare the rules with all of Flink's tests.", "finale scenario scenarios/"
                    ),
                    Example(
                        "Compare with one test.",
                        "finale scenario scenarios/align/ALIGN-03.scenario",
                    ),
                ),
                more="A scenario is a test of Flink, written down as events and results.",
            ),
        ),
    ),
    CommandGroup(
        "Run jobs on the small engine",
        (
            Command(
                "engine run",
                "run:run",
                "Run a job on the small engine.",
                (
                    Example(
                        "Run a job to its end.",
                        "finale engine run examples/wordcount/job.toml --directory state",
                    ),
                    Example(
                        "Run a job, and inject faults.",
                        "finale engine run examples/wordcount/job.toml --directory state "
                        "--faults examples/wordcount/faults.toml",
                    ),
                ),
                "0 finished, drained or suspended (lost records are reported), 1 a stop failed, 2 "
                "bad input or an error that ended the run (completed checkpoints remain), 130 "
                "cancelled or interrupted, 143 and 129 ended by SIGTERM and SIGHUP",
            ),
            Command(
                "engine stop",
                "requests:stop",
                "Stop a job on the small engine with a savepoint.",
                (
                    Example("Stop a job that can continue later.", "finale engine stop state"),
                    Example("End a job for good.", "finale engine stop state --drain"),
                ),
                ANSWERED,
            ),
            Command(
                "engine savepoint",
                "requests:savepoint",
                "Take a savepoint of a job on the small engine; the job continues.",
                (
                    Example("Take a savepoint.", "finale engine savepoint state"),
                    Example(
                        "Wait for it for ten minutes.",
                        "finale engine savepoint state --max-seconds 600",
                    ),
                ),
                ANSWERED,
            ),
            Command(
                "engine cancel",
                "requests:cancel",
                "Cancel a job on the small engine at once.",
                (
                    Example("Cancel a job.", "finale engine cancel state"),
                    Example(
                        "Wait for its end for ten minutes.",
                        "finale engine cancel state --max-seconds 600",
                    ),
                ),
                ANSWERED,
            ),
            Command(
                "replay",
                "replay:replay",
                "Execute a counterexample on the small engine, with real files.",
                (
                    Example(
                        "Execute the counterexample of a spec.",
                        "finale replay specs/legacy-finish/natural-end-loses-records.toml",
                    ),
                    Example(
                        "Keep the files that the engine writes.",
                        "finale replay specs/legacy-finish/natural-end-loses-records.toml "
                        "--directory files",
                    ),
                ),
                "0 the engine follows the trace, 1 the engine departs from it, 2 bad input, 130 "
                "interrupted",
            ),
            Command(
                "conform",
                "conform:conform",
                "Compare model and engine in lock-step, or judge event logs.",
                (
                    Example(
                        "Compare model and engine on one spec.",
                        "finale conform specs/final-checkpoint/pair.toml",
                    ),
                    Example("Judge the event log of a run.", "finale conform state"),
                ),
                "0 model and engine agree, and each log is accepted without a violation; 1 model "
                "and engine disagree, a log is rejected, or the run of a log violates a property "
                "or leaves one stuck; 2 bad input; 3 undecided because a limit was reached; 130 "
                "interrupted",
                "For a spec, or a folder of specs: checks in every reachable state that the model "
                "and the engine can take the same steps, and that each step has the same "
                "effect.\n\n"
                "For an event log of finale engine run: searches a run of the protocol that "
                "explains the log, and checks the properties on this run. docs/event-log.md says "
                "what that proves.",
            ),
        ),
    ),
    CommandGroup(
        "Set up",
        (
            Command(
                "mcp",
                "mcp:serve",
                "Serve tools for an agent, over the Model Context Protocol.",
                (
                    Example("Serve the specs and variants of this folder.", "finale mcp"),
                    Example(
                        "Serve another folder, and let the agent read logs beside it.",
                        "finale mcp --project review --reads logs",
                    ),
                ),
                "0 the client went away, 2 bad input, 130 interrupted",
            ),
            Command(
                "export",
                "export:export",
                "Export a spec to TLA+ or Promela, for TLC or SPIN.",
                (
                    Example(
                        "Export to TLA+.",
                        "finale export specs/final-checkpoint/pair.toml --to tla",
                    ),
                    Example(
                        "Export the invariants to Promela.",
                        "finale export specs/final-checkpoint/pair.toml --to promela --safety-only "
                        "-o pair.pml",
                    ),
                ),
                DONE,
            ),
            Command(
                "schema",
                "helping:schema",
                "Print a JSON schema of specs, for editors.",
                (
                    Example("Write the schema into a file.", "finale schema -o finale.schema.json"),
                    Example(
                        "Include your own protocols.",
                        "finale schema --protocols protocols -o finale.schema.json",
                    ),
                ),
                DONE,
            ),
            Command(
                "completion",
                "helping:completion",
                "Print a script that completes command lines.",
                (
                    Example("Complete in this shell.", "source <(finale completion bash)"),
                    Example(
                        "Complete in each new fish.",
                        "finale completion fish > ~/.config/fish/completions/finale.fish",
                    ),
                ),
                DONE,
            ),
            Command(
                "help",
                "helping:show_help",
                "Print the help of a command.",
                (
                    Example("Print the list of commands.", "finale help"),
                    Example("Print the help of a command.", "finale help check"),
                ),
                DONE,
            ),
        ),
    ),
)


#: Words of a command line by their former names. A row begins with a command, or with `*` for all
#: commands. A flag stands alone, or with its value.
FORMER: Mapping[str, str] = {
    "run": "engine run",
    "stop": "engine stop",
    "savepoint": "engine savepoint",
    "cancel": "engine cancel",
    "why": "blocked",
    "* --out": "--output",
    "* --format=table": "--format=text",
    "check --releases": "--release",
    "hunt --seconds": "--max-total-seconds",
    "engine --seconds": "--max-seconds",
    "review --html": "--output",
    "* --jobs": "--workers",
    "* --protocol": "--of",
}


def present(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return a command line with the present names, and each former name that it had with its own.

    Words after `--` are no flags.
    """
    command, *rest = arguments or ("",)
    renamed = {command: FORMER[command]} if command in FORMER else {}
    words = FORMER.get(command, command).split()
    while rest and rest[0] != "--":
        word = rest.pop(0)
        if rest and _now(words[0], f"{word}={rest[0]}"):
            word = f"{word}={rest.pop(0)}"
        flag, _, value = word.partition("=")
        for old in (word, flag):
            new = _now(words[0], old)
            if new is not None:
                renamed[old] = new
                word = new if old == word else f"{new}={value}"
                break
        words.append(word)
    return [*words, *rest], renamed


def _now(command: str, word: str) -> str | None:
    return FORMER.get(f"{command} {word}") or FORMER.get(f"* {word}")

"""Drives a real Flink along dangerous orders of a spec that holds: `finale reproduce --orders`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from finale.checker.report.layout import console, write
from finale.checker.report.places import shown_file
from finale.checker.report.reproduced import orders_lines, run_json, run_lines, total_line
from finale.checker.reproduce.dangerous import dangerous, sampled_orders
from finale.checker.reproduce.runs import DrivenRuns
from finale.checker.reproduce.verdicts import JudgedRun, Reproduction, judged_to_hold
from finale.checker.search.rows import Exit
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError, Place
from finale.reference.flink.facts import EngineFacts
from finale.reference.flink.jvms import Jvms
from finale.reference.flink.order import PERIODIC
from finale.reference.flink.releases import Release
from finale.reference.flink.run import run_order
from finale.reference.flink.toolchain import find_jdk

from .meter import Meter
from .output import document, say_json
from .trace import searched

#: So many orders are tried for each that is to be taken.
TRIES = 3


def refuse_with_orders(name: str | None, times: int) -> None:
    """Refuse flags of a counterexample. Raises `usage`."""
    if name is not None or times != 1:
        raise FinaleError(
            "usage",
            "--property and --times are for a counterexample, and --orders for a spec that holds",
            advice="leave them out, or leave out --orders",
        )


@dataclass(frozen=True)
class OrdersDrive:
    """Orders of random runs of one spec, each taken once on one release."""

    spec: Spec
    release: Release
    facts: EngineFacts
    folder: Path
    count: int
    seed: int

    def run(self, *, as_text: bool) -> Exit:
        """Search, choose the orders, take those that are not taken yet, and tell what happened.

        Raises `no-order`, `reproduction-folder`, `reproduction-in-use`.
        """
        result = searched(self.spec, None, "auto", ())
        rows = [row for row in result.rows if row.is_claim and row.word is Word.HOLDS]
        names = {row.property for row in rows}
        assert result.system is not None
        with Meter("random runs") as meter:
            sample = sampled_orders(
                self.spec,
                result.system,
                self.facts,
                self.count,
                self.seed,
                lambda done, of: meter.tell_many((), done, of),
            )
        orders = list(dangerous(sample.orders.values(), TRIES * self.count))
        if not orders:
            why = max(sample.refused, key=lambda each: sample.refused[each], default="")
            raise FinaleError(
                "no-order",
                f"none of {sample.runs} random runs is an order for Flink{why and ': '}{why}",
                place=Place(str(self.spec.file)),
                advice="choose another spec, or another --seed",
            )
        find_jdk()
        page = console()
        if as_text:
            version = self.release.version
            write(page, orders_lines(self.spec, names, sample, self.count, version))
        done: list[JudgedRun] = []
        with DrivenRuns(self.folder, self.release) as runs, Jvms(self.release) as jvms:
            for number, each in enumerate(orders, 1):
                order = replace(each, probe=PERIODIC)
                run = runs.known(order)
                if run is None:
                    run = run_order(order, jvms, runs.prepare(order, f"order-{number}"))
                    runs.keep(order, run)
                done.append(judged_to_hold(run, names))
                if as_text:
                    write(page, run_lines(number, done[-1], page.width, "order"))
                if sum(each.verdict is not Reproduction.NOT_TAKEN for each in done) == self.count:
                    break
        if as_text:
            write(page, ["", total_line(done)])
        else:
            about = {"spec": shown_file(self.spec.file), "holding": sorted(names)}
            ran = {"flink": self.release.version, "runs": [run_json(each) for each in done]}
            say_json(document("orders") | about | ran)
        if any(each.verdict is Reproduction.DAMAGED for each in done):
            return Exit.FAILED
        taken = sum(each.verdict is Reproduction.SURVIVED for each in done)
        return Exit.LIMIT if taken < self.count else Exit.AS_EXPECTED


__all__ = ["OrdersDrive", "refuse_with_orders"]

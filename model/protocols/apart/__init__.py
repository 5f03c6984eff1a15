"""Atomic steps taken apart: one class for each step that the rules take at once.

A mark `@at_once("Class.method", apart="module:Class")` on a step names its class here. The class
keeps what is to be done, and does it in a rule of its own, so that other rules can come between.
A failure of the task forgets what is still to be done.
"""

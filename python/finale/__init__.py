"""Finale, as it is installed and imported.

What users import stands here: `finale.rules` (the rule language), `finale.jobs`, `finale.protocols`
and `finale.properties`. All else is private. The folders of the checkout are linked into this
package, because their names are too common to be packages of their own.
"""

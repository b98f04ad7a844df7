"""The fifteen tests of NIST SP 800-22 (revision 1a) on raw bits, written from its text.

Every test takes one sequence, an array of zeros and ones, and gives its p-value: the chance that fair bits look less even.
Parameters are those that the publication recommends for a million bits.
"""

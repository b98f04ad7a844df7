"""Tamper evidence: what play and money wrote, sealed minute by minute in a hash tree whose heads leave the house."""

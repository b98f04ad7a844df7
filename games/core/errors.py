"""What pure rules refuse, and how."""


class IllegalAction(Exception):
    """An action that the rules do not allow; ``code`` is one that the engine declares."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message or code)
        self.code = code
        self.message = message or code.replace("_", " ")


class InvalidData(Exception):
    """A setup, limit set, pay table or action whose shape or values make no sense; ``field`` is its dotted path."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message

"""Live updates: server-sent events of whatever has an id and messages that are numbered without gaps.

``topics.py`` says what an app gives of its own (rounds: ``games/rounds/streams.py``). A request is answered by an ordinary view
(``views.py``), in any process; in that of ``casino/asgi.py`` the server (``server.py``) then keeps the answer open, and the hub
(``hub.py``) feeds it. A service says what it has committed by ``publishing.py``; who misses that finds it in the database.
"""

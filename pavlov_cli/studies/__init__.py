"""One module per kind of question; each wires plan -> engine -> stats -> store -> figures."""

"""Hypercorn's connections: admitted and timed, and a caller who has gone is noticed at once.

- The application hears of it although its queue is full, and the socket closes although the application or the task
  that sends pings still runs.

- A stop cuts off WebSockets that take nothing.

- `jackfield.api.admission` hears how far each request has come.

- The connections speak HTTP/1.1 alone, and strictly (`http1`).

- They read and answer a request that has come whole, and is plain, without h11 (`whole_requests`).
"""

"""Hypercorn's connections: admitted and timed, and a caller who has gone is noticed at once.

- The application is told although its queue is full, and the socket is closed although the application or the task that
  sends pings still runs.
- A stop cuts off WebSockets that take nothing.
- `jackfield.api.admission` hears how far each request has come.
- HTTP/1.1 is spoken alone, and strictly (`http1`).
- A request that has come whole, and is plain, is read and answered without h11 (`whole_requests`).
"""

//! Recordings made text: by an endpoint that speaks as OpenAI's does, or by a program of this machine.

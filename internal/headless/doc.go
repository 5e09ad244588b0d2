// Package headless reports the events of a turn to a script: the answer as text, one
// JSON object at the end, or a stream of JSON lines. What is for people is written to
// the error stream.
package headless

// Package markdown renders markdown for a terminal: Stream cuts a growing text into
// blocks that never change again, Renderer turns a block into lines.
package markdown

// Package term is the terminal itself: its modes, what it sends (Decoder), and the
// one place that writes to it (Screen). It knows nothing of what is shown.
package term

package term

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// escapeDelay is how long the rest of a sequence may take to arrive. A lone Esc
// counts as the key after that.
const escapeDelay = 25 * time.Millisecond

// readSize bounds what one Read takes from the terminal, so that its translation
// always fits the 256 bytes Bubble Tea asks for: what does not fit would wait for
// the next key.
const readSize = 64

// Input is the terminal as Bubble Tea reads it: through a decoder. It embeds the
// file so that Bubble Tea can wait on its descriptor and cancel a read.
type Input struct {
	*os.File
	Decoder *Decoder
}

// Read implements io.Reader. It may return 0 bytes while a paste comes in.
func (i Input) Read(p []byte) (int, error) {
	var raw [readSize]byte
	n, err := i.File.Read(raw[:])
	if err != nil {
		return 0, err
	}
	out := i.Decoder.feed(make([]byte, 0, len(p)), raw[:n])
	for i.Decoder.waiting() {
		if len(out) > len(p)/2 || !i.readable(escapeDelay) {
			out = i.Decoder.flush(out)
			break
		}
		if n, err = i.File.Read(raw[:]); err != nil {
			break
		}
		out = i.Decoder.feed(out, raw[:n])
	}
	return copy(p, out), nil
}

// readable reports whether more bytes arrive in time. Signals, which the Go
// runtime sends itself, do not cut the wait short.
func (i Input) readable(within time.Duration) bool {
	fds := []unix.PollFd{{Fd: int32(i.Fd()), Events: unix.POLLIN}}
	for end := time.Now().Add(within); ; {
		n, err := unix.Poll(fds, max(1, int(time.Until(end).Milliseconds())))
		if !errors.Is(err, unix.EINTR) || !time.Now().Before(end) {
			return err == nil && n > 0
		}
	}
}

package launcher

import (
	"errors"
	"io"
	"time"
)

// Message is a Spec or a Report.
type Message interface {
	// pass writes the message to w or reads it from w, so that the fields are listed only once.
	pass(w *wire)
}

// wire is a message in its binary form: numbers are eight bytes long, and texts follow their
// length. Both processes run the same program, so the format needs no field names and no versions.
type wire struct {
	data []byte
	// reading is set while data is decoded. broken is set if data does not have the expected form.
	reading, broken bool
}

// maxMessage is the largest message in bytes.
const maxMessage = 64 << 20

var errNoMessage = errors.New("invalid message between agent and the sandbox helper")

// Send writes a message.
func Send(to io.Writer, message Message) error {
	w := wire{data: make([]byte, 8)}
	message.pass(&w)
	putNumber(w.data, uint64(len(w.data)-8))
	_, err := to.Write(w.data)
	return err
}

// Receive reads a message.
func Receive(from io.Reader, message Message) error {
	var length [8]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return err
	}
	size := getNumber(length[:])
	if size > maxMessage {
		return errNoMessage
	}
	w := wire{data: make([]byte, size), reading: true}
	if _, err := io.ReadFull(from, w.data); err != nil {
		return err
	}
	if message.pass(&w); w.broken || len(w.data) > 0 {
		return errNoMessage
	}
	return nil
}

func (s *Spec) pass(w *wire) {
	w.text(&s.Path)
	w.texts(&s.Args)
	w.texts(&s.Env)
	w.text(&s.Dir)
	w.text(&s.Temp)
	for _, list := range []*[]string{&s.Shown, &s.Write, &s.ReadOnly, &s.Hidden, &s.Devices, &s.Keep} {
		w.texts(list)
	}
	number(w, &s.Processes)
	w.flag(&s.KernelBounds)
	number(w, &s.Capabilities)
	confined := s.Ruleset != nil
	if w.flag(&confined); confined {
		if w.reading {
			s.Ruleset = &Ruleset{}
		}
		number(w, &s.Ruleset.Handled)
		number(w, &s.Ruleset.Scoped)
		list(w, &s.Ruleset.Rules, func(r *Rule) { w.text(&r.Path); number(w, &r.Access) })
	}
	list(w, &s.Filter, func(i *Instruction) { number(w, &i.Code); number(w, &i.Jt); number(w, &i.Jf); number(w, &i.K) })
	number(w, &s.Grace)
}

func (r *Report) pass(w *wire) {
	w.text(&r.Failed)
	number(w, &r.Refused)
	w.flag(&r.LeftBehind)
	number(w, &r.Signal)
}

func number[N int | uint8 | uint16 | uint32 | uint64 | time.Duration](w *wire, n *N) {
	if !w.reading {
		var bytes [8]byte
		putNumber(bytes[:], uint64(*n))
		w.data = append(w.data, bytes[:]...)
		return
	}
	*n = N(getNumber(w.take(8)))
}

func (w *wire) flag(set *bool) {
	var n uint8
	if *set {
		n = 1
	}
	number(w, &n)
	*set = n == 1
}

func (w *wire) text(s *string) {
	size := len(*s)
	number(w, &size)
	if !w.reading {
		w.data = append(w.data, *s...)
		return
	}
	*s = string(w.take(size))
}

func (w *wire) texts(all *[]string) { list(w, all, w.text) }

func list[T any](w *wire, items *[]T, pass func(*T)) {
	size := len(*items)
	number(w, &size)
	if w.reading {
		*items = nil
	}
	for i := 0; i < size && !w.broken; i++ {
		if w.reading {
			*items = append(*items, *new(T))
		}
		pass(&(*items)[i])
	}
}

// take removes and returns the next bytes of a message that is decoded. If there are not enough, it
// sets broken and returns zeros.
func (w *wire) take(size int) []byte {
	if size < 0 || size > len(w.data) {
		w.broken, w.data = true, nil
		return make([]byte, min(max(size, 0), 8))
	}
	taken := w.data[:size]
	w.data = w.data[size:]
	return taken
}

func putNumber(to []byte, n uint64) {
	for i := range 8 {
		to[i] = byte(n >> (8 * i))
	}
}

func getNumber(from []byte) (n uint64) {
	for i := range 8 {
		n |= uint64(from[i]) << (8 * i)
	}
	return n
}

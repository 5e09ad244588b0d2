package term

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
	"unicode/utf16"

	"github.com/erikgeiser/coninput"
	"golang.org/x/sys/windows"
	"golang.org/x/term"
)

const utf8Page = 65001

// SupportsSequences reports whether a console supports the escape sequences of the interface. Consoles
// before Windows 10 do not.
func SupportsSequences(out *os.File) bool {
	var mode uint32
	h := windows.Handle(out.Fd())
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	if windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode) == nil
}

// makeRaw switches a console to raw mode: keys arrive as escape sequences, and escape sequences in the
// output take effect. It returns a function that restores the modes.
func makeRaw(in, out *os.File) (restore func() error, err error) {
	var was uint32
	screen := windows.Handle(out.Fd())
	if err := windows.GetConsoleMode(screen, &was); err != nil {
		return nil, err
	}
	const drawing = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_WRAP_AT_EOL_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	if err := windows.SetConsoleMode(screen, was|drawing); err != nil {
		return nil, err
	}
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, errors.Join(err, windows.SetConsoleMode(screen, was))
	}
	page, _ := windows.GetConsoleOutputCP()
	_ = windows.SetConsoleOutputCP(utf8Page)
	return func() error {
		if page != 0 {
			_ = windows.SetConsoleOutputCP(page)
		}
		return errors.Join(term.Restore(int(in.Fd()), before), windows.SetConsoleMode(screen, was))
	}, nil
}

// alarm is a system event that wakes a keyboard when the alarm is closed.
type alarm struct {
	event windows.Handle
	rings bool
}

// newAlarm returns the two ends of an alarm. Closing stop wakes a reader of asleep.
func newAlarm() (asleep, stop *alarm, err error) {
	event, err := windows.CreateEvent(nil, 1, 0, nil)
	return &alarm{event: event}, &alarm{event, true}, err
}

// Close triggers the alarm, or releases it if it was already triggered.
func (a *alarm) Close() error {
	if a.rings {
		return windows.SetEvent(a.event)
	}
	return windows.CloseHandle(a.event)
}

// inputWaits reports whether there are keys to read. A key release also counts, until it is read.
func inputWaits(f *os.File) bool {
	var waiting uint32
	return windows.GetNumberOfConsoleInputEvents(windows.Handle(f.Fd()), &waiting) == nil && waiting > 0
}

// serve reads until the console is closed, or until Stop triggers the alarm.
func (k *Keyboard) serve(asleep *alarm) {
	console := windows.Handle(k.File.Fd())
	records := make([]coninput.InputRecord, 512)
	var units []uint16
	for {
		within := uint32(windows.INFINITE)
		if k.decoder.waiting() {
			within = uint32(escapeDelay.Milliseconds())
		}
		woke, err := windows.WaitForMultipleObjects([]windows.Handle{asleep.event, console}, false, within)
		switch {
		case err != nil && !errors.Is(err, syscall.Errno(windows.WAIT_TIMEOUT)):
			k.put(nil, true)
			return
		case woke == windows.WAIT_OBJECT_0:
			return
		case woke != windows.WAIT_OBJECT_0+1:
			k.put(k.decoder.flush(nil), false)
			continue
		}
		k.mu.Lock()
		k.reading = true
		k.mu.Unlock()
		n, err := coninput.ReadConsoleInput(console, records)
		if err != nil {
			k.put(nil, true)
			return
		}
		units = append(units, typedUnits(records[:n])...)
		whole := len(units)
		if whole > 0 && utf16.IsSurrogate(rune(units[whole-1])) && units[whole-1] < 0xdc00 {
			whole-- // the second half of the character has not arrived yet
		}
		k.put(k.decoder.Feed(nil, []byte(string(utf16.Decode(units[:whole])))), false)
		units = append(units[:0], units[whole:]...)
	}
}

func typedUnits(records []coninput.InputRecord) (units []uint16) {
	const menu = 0x12 // key code of Alt, whose release types a character given by its number
	for _, record := range records {
		key, ok := record.Unwrap().(coninput.KeyEventRecord)
		if !ok || key.Char == 0 || !key.KeyDown && key.VirtualKeyCode != menu {
			continue
		}
		for range max(key.RepeatCount, 1) {
			units = append(units, uint16(key.Char))
		}
	}
	return units
}

// Suspend returns an error, because Windows shells cannot continue a stopped program.
func Suspend() error { return errors.New("Windows can't suspend a program") }

// resized is a signal that reports a new window size. Windows itself has no such signal.
type resized struct{}

// Signal implements os.Signal.
func (resized) Signal() {}

// String implements os.Signal.
func (resized) String() string { return "window size changed" }

// IsResize reports whether a signal means that the window has another size.
func IsResize(s os.Signal) bool { return s == resized{} }

// sizePoll is the interval at which the size of the window is read.
const sizePoll = 150 * time.Millisecond

// NotifySignals returns a channel of the signals that end the interface or report a new window size. stop
// ends the delivery.
func NotifySignals(out *os.File) (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		width, height := SizeOf(out)
		for {
			select {
			case <-done:
				return
			case <-time.After(sizePoll):
			}
			if w, h := SizeOf(out); w != width || h != height {
				width, height = w, h
				select {
				case signals <- resized{}:
				case <-done:
					return
				}
			}
		}
	}()
	return signals, func() { signal.Stop(signals); close(done) }
}

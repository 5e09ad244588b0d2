package shell

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// slowScreen takes its time for every write.
type slowScreen struct {
	screen
	takes  time.Duration
	writes int
}

func (s *slowScreen) Write(data []byte) (int, error) {
	time.Sleep(s.takes)
	s.writes++
	return s.screen.Write(data)
}

func TestLiveNeverHoldsACommandUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &slowScreen{takes: time.Minute}
		shown := newLive(slow)
		began := time.Now()
		for i := range 100_000 {
			_, _ = fmt.Fprintf(shown, "line %d\n", i)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("the command waited %v for the screen", took)
		}
		shown.close()
		if text := slow.text(); !strings.HasSuffix(text, "line 99999\n") || len(text) > 3*liveBytes {
			t.Errorf("%d bytes shown, the last %.20q", len(text), text[max(0, len(text)-20):])
		}
	})
}

func TestLiveDoesNotFloodTheScreen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fast := &slowScreen{}
		shown := newLive(fast)
		for i := range 1000 {
			_, _ = fmt.Fprintf(shown, "line %d\n", i)
			time.Sleep(time.Millisecond)
		}
		shown.close()
		if fast.writes > 35 {
			t.Errorf("%d writes in a second", fast.writes)
		}
		if got := strings.Count(fast.text(), "\n"); got != 1000 {
			t.Errorf("%d of 1000 lines shown", got)
		}
	})
}

// screen is a writer that remembers what was written to it.
type screen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *screen) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Write(data)
	return len(data), nil
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

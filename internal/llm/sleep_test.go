package llm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"agent/internal/llm"
)

func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := llm.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("Sleep gave %v", err)
	}
	if err := llm.Sleep(t.Context(), 0); err != nil {
		t.Errorf("Sleep gave %v", err)
	}
}

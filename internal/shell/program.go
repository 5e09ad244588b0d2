package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agent/internal/base/humanize"
)

// maxComplaint limits the error output of a program of the user, in bytes.
const maxComplaint = 4 << 10

// RunProgram runs a program of the user for at most limit. It returns the first most bytes of the output, or
// an error that names the setting of the program. The error is ErrClosed after Close, and the cause of ctx
// once ctx has ended.
func (j *Jobs) RunProgram(ctx context.Context, setting string, command Command, limit time.Duration, most int) (output string, end ExitInfo, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	printed, complaint := &HeadWriter{Most: most}, &HeadWriter{Most: maxComplaint}
	end, err = j.RunWithInput(limited, command, printed, complaint)
	switch {
	case err != nil:
		end.NotStarted = err
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case end.NotStarted != nil:
		err = fmt.Errorf("can't start %s: %w", setting, end.NotStarted)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("%s took longer than %s and was stopped", setting, limit)
	case end.Exit != 0:
		says := humanize.Line(string(bytes.TrimSpace(complaint.Kept)), 300)
		err = fmt.Errorf("%s: %s", setting, strings.TrimSuffix(end.ExitText()+": "+says, ": "))
	default:
		output = string(printed.Kept)
	}
	return output, end, err
}

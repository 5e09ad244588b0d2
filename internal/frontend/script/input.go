package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"agent/internal/atcmd"
	"agent/internal/base/safeout"
	"agent/internal/history"
)

// maxPipedInput limits the bytes that standard input may add to a prompt.
const maxPipedInput = 4 << 20

// Prompt returns the prompt of the command line, followed by piped input. Piped input is always data, never
// commands (D-46).
func (o Options) Prompt(ctx context.Context) (atcmd.Message, error) {
	if o.Timeout < 0 {
		return nil, usage(ErrTimeout)
	}
	piped, err := o.readPiped(ctx)
	if err != nil {
		return nil, err
	}
	message := o.Message.Trim()
	if strings.TrimSpace(piped) != "" {
		message = append(message, atcmd.Part{Text: piped, Source: history.SourcePiped})
	}
	if len(message) == 0 {
		return nil, usage(errors.New("-p needs a prompt, as its value or on standard input"))
	}
	return message, nil
}

// slowInput is the time after which a message reports that the run waits for piped input.
const slowInput = 2 * time.Second

// readPiped reads standard input to its end if it is a pipe or a file. It does not read a terminal or
// another device, so that a run never waits for a user. If a pipe stays open, it prints a message and waits
// until ctx ends. It does not read a file from which another program has already read. Such a file is
// probably the list of a shell loop such as "while read".
func (o Options) readPiped(ctx context.Context) (string, error) {
	info, err := o.In.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return "", nil
	}
	if info.IsDir() {
		return "", usage(errors.New("standard input is a folder; pipe text into -p, or name files in the prompt with @PATH"))
	}
	if at, err := o.In.Seek(0, io.SeekCurrent); err == nil && at > 0 {
		fmt.Fprintln(o.People, "standard input was ignored: another program has read the beginning of the file")
		return "", nil
	}
	slow := time.AfterFunc(slowInput, func() { fmt.Fprintln(o.People, "waiting for the end of standard input …") })
	defer slow.Stop()
	data, err := safeout.ReadContext(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(o.In, maxPipedInput+1)) })
	switch {
	case ctx.Err() != nil:
		return "", err
	case err != nil:
		return "", fmt.Errorf("can't read standard input: %w", err)
	case len(data) > maxPipedInput:
		return "", usage(errors.New("standard input is longer than 4 MiB; write it to a file, and name the file in the prompt with @PATH"))
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}

package picture

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"agent/internal/sandbox"
)

// clipboardTime is the time limit of the program that reads the clipboard.
const clipboardTime = 10 * time.Second

// ErrNoPicture is returned if the clipboard contains no image.
var ErrNoPicture = errors.New("the clipboard contains no image")

// reader is a program that prints the image on the clipboard.
type reader struct {
	// variable is an environment variable that the program requires, or empty.
	variable string
	command  []string
	decode   func(out []byte) ([]byte, error)
}

// readers returns the programs for an operating system, in the order in which to try them.
func readers(system string) []reader {
	switch system {
	case "darwin":
		return []reader{{command: []string{"osascript", "-e", "get the clipboard as «class PNGf»"}, decode: decodeAppleScript}}
	case "windows":
		return []reader{{command: []string{"powershell", "-NoProfile", "-NonInteractive", "-STA", "-Command", printClipboard}, decode: decodeBase64}}
	}
	plain := func(out []byte) ([]byte, error) { return out, nil }
	return []reader{
		{"WAYLAND_DISPLAY", []string{"wl-paste", "--no-newline", "--type", "image/png"}, plain},
		{"DISPLAY", []string{"xclip", "-selection", "clipboard", "-target", "image/png", "-out"}, plain},
	}
}

// printClipboard is a PowerShell command. It prints the image on the clipboard as a base64-encoded
// PNG file, or nothing.
const printClipboard = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing; ` +
	`$image = [Windows.Forms.Clipboard]::GetImage(); if ($image) { $file = New-Object IO.MemoryStream; ` +
	`$image.Save($file, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($file.ToArray()) }`

// Clipboard returns the image on the clipboard as a PNG file. It runs a program from the PATH in
// environ. The error is ErrNoPicture, or explains to the user how to proceed.
func Clipboard(ctx context.Context, environ []string) ([]byte, error) {
	return clipboard(ctx, environ, readers(runtime.GOOS))
}

func clipboard(ctx context.Context, environ []string, readers []reader) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, clipboardTime)
	defer cancel()
	var names []string
	for _, r := range readers {
		if r.variable != "" && sandbox.Variable(environ, r.variable) == "" {
			continue
		}
		names = append(names, r.command[0])
		if program, err := sandbox.LookPath(r.command[0], sandbox.Variable(environ, "PATH")); err == nil {
			return r.read(ctx, program, environ)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("can't read the clipboard: WAYLAND_DISPLAY and DISPLAY are not set. Type @FILE instead, such as @shot.png, or drop a file on the terminal")
	}
	return nil, fmt.Errorf("can't read the clipboard: install %s, or drop the file on the terminal", strings.Join(names, " or "))
}

func (r reader) read(ctx context.Context, program string, environ []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, r.command[1:]...)
	cmd.Env = environ
	cmd.WaitDelay = time.Second
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, ErrNoPicture
	}
	// Processes that the program has started may keep its output open longer.
	defer context.AfterFunc(ctx, func() { stdout.Close() })()
	const most = 2*MaxFileBytes + len("«data PNGf»\n")
	out, err := io.ReadAll(io.LimitReader(stdout, int64(most)+1))
	if len(out) > most {
		_ = cmd.Process.Kill()
	}
	err = errors.Join(err, cmd.Wait())
	switch {
	case len(out) > most:
		return nil, fmt.Errorf("the image on the clipboard is larger than %d MB", MaxFileBytes>>20)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%s did not return the content of the clipboard within %s", r.command[0], clipboardTime)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil || len(out) == 0:
		return nil, ErrNoPicture
	}
	return r.decode(out)
}

// decodeBase64 decodes the output of PowerShell.
func decodeBase64(out []byte) ([]byte, error) {
	image, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(out)))
	if err != nil || len(image) == 0 {
		return nil, ErrNoPicture
	}
	return image, nil
}

// decodeAppleScript decodes an output such as «data PNGf89504E47…».
func decodeAppleScript(out []byte) ([]byte, error) {
	text := strings.TrimSpace(string(out))
	text, begins := strings.CutPrefix(text, "«data PNGf")
	text, ends := strings.CutSuffix(text, "»")
	image, err := hex.DecodeString(text)
	if !begins || !ends || err != nil {
		return nil, ErrNoPicture
	}
	return image, nil
}

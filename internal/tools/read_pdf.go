package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/history"
	"agent/internal/sandbox"
	"agent/internal/shell"
	"agent/internal/text/lines"
)

const (
	// maxAttached limits a PDF that is sent whole, in bytes.
	maxAttached = 512 << 10
	// pagesAtOnce is the number of pages that are read if the call has no count.
	pagesAtOnce = 20
	pdfTime     = 30 * time.Second
	maxPDFText  = 8 << 20
)

// readPDF answers a call of read_file about a PDF. It sends the file itself if the model supports
// PDFs and the call names no pages. Otherwise it sends the text of pages; offset and limit count
// pages.
func (e *Env) readPDF(ctx context.Context, args readFileArgs) Answer {
	abs, content, err := e.wholePDF(args.FilePath)
	if err != nil {
		return failedAnswer(err)
	}
	rel := humanize.FileName(e.Workspace.Rel(abs))
	if e.SendsPDF(content, args.Offset, args.Limit) {
		return Answer{
			Text: "[" + rel + " follows as a document. To read the text of some pages instead, use offset and limit]",
			View: viewOf(abs, content, history.View{}), Images: []Image{{MimeType: history.PDF, Data: content}},
		}
	}
	text, shown, err := e.PDFText(ctx, rel, content, args.Offset, args.Limit, e.Limits.room(headingBytes))
	if err != nil {
		return failedAnswer(err)
	}
	return Answer{Text: text, View: viewOf(abs, content, shown)}
}

// SendsPDF reports whether a PDF is sent to the model as a file. The model must accept documents,
// the file must not be too large, and no pages are named.
func (e *Env) SendsPDF(content []byte, first, count int) bool {
	return first == 0 && count == 0 && len(content) <= maxAttached && e.Documents != nil && e.Documents()
}

// PDFText returns the text of count pages of a PDF from page first on. It returns as many as fit
// into room bytes, but at least one, and their page numbers. A first of 0 means the first page, and
// a count of 0 the usual number.
func (e *Env) PDFText(ctx context.Context, name string, content []byte, first, count, room int) (text string, shown history.View, err error) {
	first = max(first, 1)
	if count == 0 {
		count = pagesAtOnce
	}
	// One additional page shows whether pages follow.
	pages, err := e.pagesOf(ctx, content, first, first+count)
	switch {
	case err != nil:
		return "", shown, fmt.Errorf("%s is binary (application/pdf): %w", name, err)
	case len(pages) == 0:
		return "", shown, fmt.Errorf("page %d is past the end of %s, or the PDF has no pages", first, name)
	}
	more := len(pages) > count
	var all strings.Builder
	next := first
	for _, page := range pages[:min(count, len(pages))] {
		page = fmt.Sprintf("== page %d ==\n%s\n", next, strings.TrimRight(page, " \n"))
		if next > first && all.Len()+len(page) > room {
			more = true
			break
		}
		all.WriteString(shorten(page, room))
		next++
	}
	heading := fmt.Sprintf("[pages %d-%d of a PDF; %[2]d is the last page]\n", first, next-1)
	if more {
		heading = fmt.Sprintf("[pages %d-%d of a PDF; read on with offset %d]\n", first, next-1, next)
	}
	return heading + all.String(), history.View{From: first, To: next - 1, Whole: first == 1 && !more}, nil
}

// wholePDF returns the content of a PDF that open refused as binary.
func (e *Env) wholePDF(path string) (abs string, content []byte, err error) {
	if abs, err = e.Workspace.ResolveRead(path); err != nil {
		return "", nil, err
	}
	rel := humanize.FileName(e.Workspace.Rel(abs))
	file, err := e.Workspace.Open(abs)
	if err == nil {
		defer file.Close()
		content, err = io.ReadAll(io.LimitReader(file, history.MaxPDF+1))
	}
	switch {
	case err != nil:
		err = fmt.Errorf("can't read %s: %w", rel, fsutil.Reason(err))
	case len(content) > history.MaxPDF:
		err = fmt.Errorf("%s is larger than %s; to read selected pages, use pdftotext in the shell", rel, humanize.Bytes(history.MaxPDF))
	}
	return abs, content, err
}

// pagesOf returns the texts of pages, from first to at most last. pdftotext reads the file in the
// sandbox, because the file may be malicious.
func (e *Env) pagesOf(ctx context.Context, content []byte, first, last int) ([]string, error) {
	const program = "pdftotext"
	var confined sandbox.Confinement
	if e.Confinement != nil {
		confined = e.Confinement()
	}
	found, err := "", errors.New("programs are not available")
	if e.Jobs != nil {
		found, err = e.Jobs.LookPath(program, e.Workspace.Root())
	}
	switch {
	case err != nil:
		return nil, errors.New("pdftotext is not installed; the user can install it (package poppler-utils)")
	case !confined.Guarantees(sandbox.ProfileReadOnly).Files || !confined.Guarantees(sandbox.ProfileReadOnly).Network:
		return nil, errors.New("without a sandbox, reading it requires approval. Run in the shell: pdftotext FILE -")
	}
	text, complaint := &shell.HeadWriter{Most: maxPDFText}, &shell.HeadWriter{Most: maxPDFText}
	limited, cancel := context.WithTimeout(ctx, pdfTime)
	defer cancel()
	end, err := e.Jobs.RunWithInput(limited, shell.Command{
		Line: found, Args: []string{"-layout", "-enc", "UTF-8", "-f", strconv.Itoa(first), "-l", strconv.Itoa(last), "-", "-"},
		Dir: e.Workspace.Root(), Input: content, Timeout: pdfTime, ReadOnly: true, Confined: confined, Profile: sandbox.ProfileReadOnly,
	}, text, complaint)
	if err == nil {
		err = end.NotStarted
	}
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		return nil, fmt.Errorf("pdftotext took longer than %s", pdfTime)
	case end.Exit != 0 && len(text.Kept) == 0 && !strings.Contains(string(complaint.Kept), "first page"):
		return nil, refusalOf(string(complaint.Kept), end.Exit)
	}
	plain := strings.ToValidUTF8(strings.ReplaceAll(string(text.Kept), "\r\n", "\n"), replacement)
	pages := strings.Split(plain, "\f")
	if lines.Split(pages[len(pages)-1]) == nil { // a form feed ends each page
		pages = pages[:len(pages)-1]
	}
	return pages, nil
}

// refusalOf returns the error for a run of pdftotext that failed and printed no text. complaint is its
// standard error, and exit its exit status.
func refusalOf(complaint string, exit int) error {
	switch {
	case strings.Contains(complaint, "Incorrect password"):
		return errors.New("it is encrypted. Run in the shell: pdftotext -upw PASSWORD FILE -")
	case strings.TrimSpace(complaint) == "":
		return fmt.Errorf("pdftotext can't read it (exit status %d)", exit)
	}
	return fmt.Errorf("pdftotext failed: %s", humanize.Line(humanize.FirstLine(complaint), 200))
}

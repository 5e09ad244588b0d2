package tui

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/question"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// A BoardRow is a running session on the board.
type BoardRow struct {
	ID, Title, Folder, Branch, Model string
	// State is "blocked", "failed", "done", "working", "running" or "idle". The state began at Since. Kind
	// is the kind of answer that a blocked session waits for.
	State, Kind string
	Since       time.Time
	// Cost is in USD, or 0 if it is not known. Tokens is the size of the context, and Limit the largest
	// possible size.
	Cost          float64
	Tokens, Limit int
	// Questions holds the open questions, oldest first.
	Questions []chat.Approval
}

// A BoardDriver provides the running sessions. Its methods may be called from any goroutine.
type BoardDriver interface {
	// Rows returns the sessions. Those that wait for the user come first. Changed returns a channel that
	// receives a value after changes.
	Rows() []BoardRow
	Changes() <-chan struct{}
	// Answer answers a question of a session. Send sends a message to a session. Stop stops a session.
	Answer(session string, question int, d chat.Decision) error
	Send(session, text string) error
	Stop(session string) error
	// TakeError returns the latest error of a session, "" for none.
	TakeError() string
}

// guardTime is the time for which a new question accepts no answer. A key pressed within it was meant for
// the previous question.
const guardTime = 400 * time.Millisecond

// ShowBoard shows the running sessions until the user attaches to a session or leaves. It returns the id of the
// session to attach to, or "" for none. ShowBoard uses only the options In, Out, Environ, Plain, Settings,
// Palettes, NotifySignals and Now.
func ShowBoard(ctx context.Context, opts Options, driver BoardDriver) (session string, err error) {
	if !term.IsTerminal(opts.In) || !term.IsTerminal(opts.Out) {
		return "", ErrNoTerminal
	}
	environ := environment(opts.Environ)
	signals, deaf := term.NotifySignals(opts.Out)
	defer deaf()
	dark, known := term.DeclaredBackground(environ.get("COLORFGBG"))
	b := &boardView{driver: driver, now: opts.Now}
	b.theme = style.NewTheme(style.DetectColors(environ.get), style.PaletteFor(opts.set().Theme, dark || !known, opts.Palettes...))
	stop := make(chan struct{})
	defer close(stop)
	if opts.Plain || environ.get("TERM") == "dumb" || !term.SupportsSequences(opts.Out) {
		if opts.NotifySignals != nil {
			defer opts.NotifySignals()()
		}
		b.theme = style.NewSpoken()
		p := &plainBoard{view: b, out: opts.Out}
		loop := newLoop(ctx, p)
		p.listen(loop, opts.In, stop)
		err = serve(ctx, loop, nil, signals, func(s os.Signal) bool { return term.IsResize(s) })
		return b.chosen, err
	}
	t, err := takeTerminal(opts)
	if err != nil {
		return "", err
	}
	defer giveBack(t)
	b.terminal = t
	loop := newLoop(ctx, b)
	go b.watch(loop, stop)
	err = serve(ctx, loop, keyboard(t, loop), signals, func(s os.Signal) bool {
		if term.IsResize(s) {
			loop.Send(boardMsg{})
		}
		return term.IsResize(s)
	})
	return b.chosen, err
}

// boardMsg reports that the rows, the time or the size of the window have changed.
type boardMsg struct{}

// boardTick is the interval at which the board shows how long sessions wait.
const boardTick = 10 * time.Second

type boardView struct {
	unseen
	terminal *term.Terminal
	theme    *style.Theme
	driver   BoardDriver
	now      func() time.Time
	rows     []BoardRow
	// selected is the id of the selected session. chosen is the id of the session to attach to.
	selected, chosen string
	// asked is the question that is shown. since is the time at which it appeared.
	asked struct {
		session string
		id      int
	}
	since time.Time
	// left is the time at which the selected session ended.
	left time.Time
	// message is the message that the user is typing, or nil for none.
	message *string
	hint    string
}

// watch sends a message for each change.
func (b *boardView) watch(loop *tea.Program, stop <-chan struct{}) {
	tick := time.NewTicker(boardTick)
	defer tick.Stop()
	for {
		select {
		case <-b.driver.Changes():
		case <-tick.C:
		case <-stop:
			return
		}
		loop.Send(boardMsg{})
	}
}

// Init implements tea.Model.
func (b *boardView) Init() tea.Cmd { b.refresh(); b.paint(); return nil }

// Update implements tea.Model.
func (b *boardView) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case goneMsg:
		return b, tea.Quit
	case inputMsg:
		for _, event := range message {
			switch e := event.(type) {
			case term.Key:
				if b.key(e) {
					return b, tea.Quit
				}
			case term.Paste:
				if b.message != nil {
					*b.message += strings.ReplaceAll(string(e), "\r", "\n")
				}
			}
		}
	}
	b.refresh()
	b.paint()
	return b, nil
}

// refresh reads the current rows. The selected session stays selected while it runs.
func (b *boardView) refresh() {
	before := b.rows
	b.rows = b.driver.Rows()
	if problem := b.driver.TakeError(); problem != "" {
		b.hint = problem
	}
	if b.index() < 0 {
		b.leave(before)
		b.selected = ""
		if len(b.rows) > 0 {
			b.selected = b.rows[0].ID
		}
	}
	b.look()
}

// maxEnded limits the title of a session that has ended, in characters.
const maxEnded = 40

// leave says that the selected session has ended. A message to it is not sent to another, and a key that
// was meant for it stops no other.
func (b *boardView) leave(rows []BoardRow) {
	for _, row := range rows {
		if row.ID == b.selected {
			b.hint, b.left = style.Clean(humanize.Line(cmp.Or(row.Title, filepath.Base(row.Folder)), maxEnded))+" has ended", b.now()
			if b.message != nil {
				b.hint, b.message = b.hint+"; the message was not sent", nil
			}
		}
	}
}

// look records which question is shown.
func (b *boardView) look() {
	before := b.asked
	b.asked.session, b.asked.id = b.selected, 0
	if asked := b.question(); asked != nil {
		b.asked.id = asked.ID
	}
	if b.asked != before {
		b.since = b.now()
	}
}

func (b *boardView) index() int {
	return slices.IndexFunc(b.rows, func(row BoardRow) bool { return row.ID == b.selected })
}

// question returns the first question of the selected session, nil for none.
func (b *boardView) question() *chat.Approval {
	if i := b.index(); i >= 0 && len(b.rows[i].Questions) > 0 {
		return &b.rows[i].Questions[0]
	}
	return nil
}

// boardKeys lists the keys of the board.
const boardKeys = "↑↓ select · Enter attach · m message · s stop · q leave"

// key handles a key, and reports whether the board ends.
func (b *boardView) key(k term.Key) (ends bool) {
	b.hint = ""
	if b.message != nil {
		b.messageKey(k)
		return false
	}
	switch k.Name {
	case "up", "down", "k", "j", "ctrl+p", "ctrl+n":
		step := 1
		if slices.Contains([]string{"up", "k", "ctrl+p"}, k.Name) {
			step = -1
		}
		if i := b.index() + step; i >= 0 && i < len(b.rows) {
			b.selected = b.rows[i].ID
		}
	case "enter", "right":
		b.chosen = b.selected
		return b.selected != ""
	case "q", "esc", "ctrl+c", "ctrl+d", "left":
		return true
	case "m", "tab", "i":
		if b.selected != "" {
			b.message = new(string)
		}
	case "s":
		if b.now().Sub(b.left) < guardTime {
			b.hint = "key ignored: another session has just been selected. Press it again"
			break
		}
		b.report(b.driver.Stop(b.selected), "stopped")
	case "y", "n", "a", autoEditKey, "1", "2", "3", "4":
		b.answer(k.Name)
	default:
		b.hint = "this key does nothing here · " + boardKeys
	}
	return false
}

func (b *boardView) messageKey(k term.Key) {
	text := *b.message
	switch {
	case k.Name == "enter":
		if b.message = nil; strings.TrimSpace(text) != "" {
			b.report(b.driver.Send(b.selected, text), "sent")
		}
	case k.Name == "esc", k.Name == "ctrl+c":
		b.message = nil
	case k.Name == "backspace":
		runes := []rune(text)
		*b.message = string(runes[:max(0, len(runes)-1)])
	case k.Name == "ctrl+u":
		*b.message = ""
	case k.IsText():
		*b.message += k.Text
	}
}

func (b *boardView) report(err error, done string) {
	if b.hint = done; err != nil {
		b.hint = err.Error()
	}
}

// answer answers the question that is shown, if it has been shown long enough to be read.
func (b *boardView) answer(key string) {
	asked := b.question()
	switch {
	case asked == nil:
		b.hint = "this session asks no question"
		return
	case b.asked.session != b.selected || b.asked.id != asked.ID || b.now().Sub(b.since) < guardTime:
		b.hint = "key ignored: the question had just appeared. Press it again"
		return
	}
	d, valid := decisionOf(asked, key)
	if !valid {
		b.hint = "this key doesn't answer the question. To answer in the session, press Enter"
		return
	}
	b.report(b.driver.Answer(b.selected, asked.ID, d), "answered")
	for _, row := range b.rows { // select the next row that waits
		if row.ID != b.selected && len(row.Questions) > 0 {
			b.selected = row.ID
			break
		}
	}
}

// autoEditKey switches to the approval mode that a question offers. The lower-case letter stops a session.
const autoEditKey = "S"

// decisionOf returns the decision for a key. Multiple questions, and questions with several answers, can
// only be answered on the screen of the session.
func decisionOf(asked *chat.Approval, key string) (d chat.Decision, valid bool) {
	inquiries := asked.Preview.Inquiries
	if len(inquiries) == 0 {
		return chat.Decision{Allow: key != "n", Always: key == "a", Sandbox: key == autoEditKey},
			key == "y" || key == "n" || key == "a" && asked.Always != "" || key == autoEditKey && asked.Sandbox != ""
	}
	if len(inquiries) > 1 || inquiries[0].Several {
		return d, false
	}
	options := inquiries[0].Options
	number, err := strconv.Atoi(key)
	if inquiries[0].YesNo && err != nil {
		number = 1 + strings.Index("yn", key)
	}
	if number < 1 || number > len(options) {
		return d, false
	}
	return chat.Decision{Allow: true, Answers: []tools.InquiryAnswer{{Chosen: []string{options[number-1].Label}}}}, true
}

// keysOf lists the keys that answer a question.
func keysOf(asked *chat.Approval) string {
	inquiries := asked.Preview.Inquiries
	switch {
	case len(inquiries) == 0:
		keys := "y yes · n no"
		if asked.Always != "" {
			keys += " · a yes, for this session: " + style.Clean(asked.Always)
		}
		if asked.Sandbox != "" {
			keys += " · " + autoEditKey + " yes, and " + style.Clean(asked.Sandbox)
		}
		return keys
	case len(inquiries) > 1 || inquiries[0].Several:
		return "to answer, press Enter to attach to the session"
	}
	var keys []string
	for i, option := range inquiries[0].Options {
		keys = append(keys, strconv.Itoa(i+1)+" "+style.Clean(option.Label))
	}
	return strings.Join(keys, " · ")
}

var stateWords = map[string]string{
	"blocked": "waits", "failed": "failed", "done": "done", "working": "works", "running": "runs", "idle": "idle",
}

// wideBoard is the width, in columns, from which a row of the board uses one line. A window of 100 columns has
// one column more.
const wideBoard = 99

// describe returns the parts of a row: its state with the time, its title, and the rest.
func (b *boardView) describe(row BoardRow) (state, title, rest string) {
	state = stateWords[row.State] + " " + humanize.Elapsed(max(0, b.now().Sub(row.Since)).Truncate(time.Second))
	title = style.Clean(humanize.FirstLine(row.Title))
	if title == "" {
		title = "new session"
	}
	parts := []string{style.Clean(filepath.Base(row.Folder))}
	if row.Kind != "" {
		parts = slices.Insert(parts, 0, "for a "+row.Kind)
	}
	for _, part := range []string{row.Branch, row.Model} {
		if part != "" {
			parts = append(parts, style.Clean(part))
		}
	}
	if row.Cost > 0 {
		parts = append(parts, humanize.Dollars(row.Cost))
	}
	if row.Limit > 0 {
		parts = append(parts, strconv.Itoa(row.Tokens*100/row.Limit)+"%")
	}
	return state, title, strings.Join(parts, " · ")
}

// view lays out the board. The question of the selected session is shown below the rows.
func (b *boardView) view(width, height int) (lines []string, col int) {
	t := b.theme
	head := humanize.Count(len(b.rows), "running session")
	if len(b.rows) == 0 {
		head = "no session is running. To start one, run: agent"
	}
	lines = append(lines, t.Strong.Text(style.Truncate(head, width)))
	var rows []string
	at := 0
	for _, row := range b.rows {
		if row.ID == b.selected {
			at = len(rows)
		}
		rows = append(rows, b.row(row, width)...)
	}
	room := max(3, height-6)
	if b.question() != nil {
		room = max(3, height/2-2)
	}
	if len(rows) > room { // keep the selected row visible
		from := min(max(0, at-room/2), len(rows)-room)
		rows = rows[from : from+room]
	}
	lines = append(lines, rows...)
	if asked := b.question(); asked != nil {
		body := question.AllRows(t, question.OpenQuestion{Approval: *asked}, width)
		keys := style.IndentAll(style.WrapText(keysOf(asked), max(1, width-2)), "  ")
		keys = keys[:min(len(keys), 4)]
		if most := max(1, height-len(lines)-4-len(keys)); len(body) > most {
			body = append(body[:most-1:most-1], t.Dim.Text("… Enter attaches and shows all"))
		}
		lines = append(append(lines, ""), body...)
		lines = append(lines, keys...)
	}
	foot := boardKeys
	if b.hint != "" {
		foot = style.Clean(humanize.FirstLine(b.hint))
	}
	if b.message != nil {
		foot = "message> " + style.Clean(humanize.FirstLine(strings.ReplaceAll(*b.message, "\n", " ")))
		if over := style.Width(foot) - (width - 1); over > 0 {
			foot = style.Truncate(foot, width-1)
		}
		col = min(style.Width(foot), width-1)
	}
	return append(lines, "", t.Dim.Text(style.Truncate(foot, width))), col
}

func (b *boardView) row(row BoardRow, width int) []string {
	t := b.theme
	state, title, rest := b.describe(row)
	look, mark := t.Dim, "  "
	switch row.State {
	case "blocked":
		look = t.Warn
	case "failed":
		look = t.Bad
	case "done":
		look = t.OK
	}
	titled := t.Plain
	if row.ID == b.selected {
		mark, titled = "> ", t.Strong
	}
	state = fmt.Sprintf("%-11s", state)
	first := func(width int) string { return style.Truncate(title, max(1, width)) }
	if width >= wideBoard {
		title = first(width - 13 - min(style.Width(rest), width/2) - 3)
		return []string{mark + look.Text(state) + " " + titled.Text(title) + t.Dim.Text(style.Truncate("   "+rest, width-14-style.Width(title)))}
	}
	return []string{
		mark + look.Text(state) + " " + titled.Text(first(width-14)),
		t.Dim.Text(style.Truncate(strings.Repeat(" ", 14)+rest, width)),
	}
}

func (b *boardView) paint() {
	width, height := b.terminal.Size()
	lines, col := b.view(max(8, width-1), max(4, height-1))
	lines = lines[max(0, len(lines)-(height-1)):]
	b.terminal.Screen.Post(term.Frame{Live: lines, Row: len(lines) - 1, Col: col, Width: width, Height: height})
}

// plainBoard prints the board line by line and reads typed lines, for screen readers.
type plainBoard struct {
	unseen
	view *boardView
	out  io.Writer
	// told identifies the set of questions that were printed.
	told string
}

const plainBoardHelp = "NUMBER selects a session · y, n, a, S or option NUMBER answers · m TEXT sends a message · s stops · attach · list · quit"

// listen sends typed lines and changes to the loop.
func (p *plainBoard) listen(loop *tea.Program, in *os.File, stop <-chan struct{}) {
	go p.view.watch(loop, stop)
	go func() {
		typed := bufio.NewScanner(in)
		for typed.Scan() {
			loop.Send(typedLineMsg{typed.Text(), true})
		}
		loop.Send(typedLineMsg{})
	}()
}

// Init implements tea.Model.
func (p *plainBoard) Init() tea.Cmd { p.view.refresh(); p.print(); return nil }

// Update implements tea.Model.
func (p *plainBoard) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	b := p.view
	if typed, is := message.(typedLineMsg); is {
		word, rest, _ := strings.Cut(strings.TrimSpace(typed.text), " ")
		number, notNumber := strconv.Atoi(word)
		b.hint = ""
		switch {
		case !typed.more || word == "quit" || word == "q":
			return p, tea.Quit
		case word == "attach":
			b.chosen = b.selected
			return p, tea.Quit
		case word == "m" && rest != "":
			b.report(b.driver.Send(b.selected, rest), "sent")
		case word == "s":
			b.report(b.driver.Stop(b.selected), "stopped")
		case word == "y" || word == "n" || word == "a" || word == autoEditKey:
			b.answer(word)
		case word == "option":
			b.answer(strings.TrimSpace(rest))
		case notNumber == nil && number >= 1 && number <= len(b.rows):
			b.selected = b.rows[number-1].ID
		case word != "" && word != "list":
			b.hint = plainBoardHelp
		}
		b.refresh()
		p.print()
		return p, nil
	}
	b.refresh()
	if p.questions() != p.told {
		p.print()
	}
	return p, nil
}

// questions identifies the open questions of all sessions.
func (p *plainBoard) questions() string {
	var open []string
	for _, row := range p.view.rows {
		for _, asked := range row.Questions {
			open = append(open, row.ID+"#"+strconv.Itoa(asked.ID))
		}
	}
	return strings.Join(open, " ")
}

func (p *plainBoard) print() {
	b := p.view
	p.told = p.questions()
	var lines []string
	for i, row := range b.rows {
		state, title, rest := b.describe(row)
		line := fmt.Sprintf("%d. %s, %s: %s", i+1, title, state, strings.ReplaceAll(rest, " · ", ", "))
		if row.ID == b.selected {
			line += ", selected"
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []string{"no session is running"}
	}
	if asked := b.question(); asked != nil {
		lines = append(lines, question.AllRows(b.theme, question.OpenQuestion{Approval: *asked}, 1000)...)
		keys := keysOf(asked)
		if len(asked.Preview.Inquiries) > 0 {
			keys = "option " + keys
		}
		lines = append(lines, keys)
	}
	if b.hint != "" {
		lines = append(lines, b.hint)
	}
	for _, line := range lines {
		fmt.Fprintln(p.out, style.SealPlain(line))
	}
}

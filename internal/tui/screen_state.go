package tui

import (
	"cmp"
	"context"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/tui/keymap"
	"agent/internal/tui/link"
	"agent/internal/tui/markdown"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/tui/transcript"
)

// surface is shared by all parts of the screen: the transcript they print to, the look, the size
// of the window, the clock, and the status of the conversation.
type surface struct {
	ctx     context.Context
	now     func() time.Time
	started time.Time
	// plain is set if lines are printed and read, without a single escape sequence.
	plain     bool
	environ   environment
	workspace string
	// settings returns the present settings of the screen, and boundKeys the present table of
	// keys. palettes holds the user's own themes.
	settings  func() Settings
	boundKeys func() *keymap.Map
	palettes  []style.Palette

	width, height int
	// ground is the terminal's background, as far as it is known.
	ground ground
	keys   *keymap.Map
	// links is the setting that the links of the theme were made from.
	links string
	// colours tells how many colours the terminal has.
	colours style.Colours
	theme   *style.Theme
	md      *markdown.Renderer

	transcript transcript.Transcript
	// held is an entry to print before anything else, or nil for none.
	held held
	// again is set if all printed entries are to be printed again, at the new width.
	again bool
	// calling is set until the user has been called. bell rings with the next frame.
	calling, bell bool
	hint          hint

	status chat.Status
	stats  chat.Stats
}

// held is a finished entry that waits, because a later event may add to it.
type held interface {
	rows() transcript.Layout
	kind() transcript.Kind
}

// ground is the terminal's background: whether it is dark, and whether that is known.
type ground struct{ dark, known bool }

// hint replaces the status line for a short time.
type hint struct {
	text  string
	until time.Time
	// quits is set if the next Ctrl+C quits.
	quits bool
	// rewinds is set if the next Esc opens the list of messages to go back to.
	rewinds bool
	// modes is set if the key for the next approval mode takes effect although a question waits.
	modes bool
}

// hintTime is how long a hint stays, and how soon the second Ctrl+C must follow to quit.
const hintTime = 2 * time.Second

// newSurface returns the surface for a window of the given size.
func newSurface(ctx context.Context, opts Options, width, height int) *surface {
	s := &surface{
		ctx: ctx, now: opts.Now, started: opts.Now(), plain: opts.Plain, environ: opts.Environ, workspace: opts.Workspace,
		settings: opts.set, boundKeys: opts.Keys, palettes: opts.Palettes,
		width: width, height: height, status: opts.Status,
	}
	if s.boundKeys == nil {
		s.boundKeys = keymap.Default
	}
	s.colours = style.DetectColours(s.environ.get)
	s.ground.dark, s.ground.known = term.DeclaredBackground(s.environ.get("COLORFGBG"))
	s.chooseTheme()
	return s
}

// chooseTheme applies the present settings: the theme, the links and the keys.
func (s *surface) chooseTheme() {
	s.keys = s.boundKeys()
	set := s.settings()
	offered := func(name string) style.Palette {
		return style.PaletteFor(name, s.ground.dark || !s.ground.known, s.palettes...)
	}
	if p := offered(set.Theme); s.theme == nil || !s.plain && s.theme.Palette != p.Name {
		s.theme = style.NewTheme(s.colours, p)
		if s.plain {
			s.theme = style.NewSpoken()
		}
		s.md = markdown.New(s.theme)
		s.links = ""
	}
	s.theme.Offered = offered
	s.theme.Opens, s.theme.Columns = s.keys.Label("outputs"), cmp.Or(set.Columns, style.Columns)
	if set.Links != s.links && !s.plain {
		s.links = set.Links
		s.theme.Links = link.New(set.Links, s.environ.get, s.workspace, s.now)
	}
}

// background takes the terminal's answer about its background, unless the answer is late.
func (s *surface) background(dark bool) {
	if !s.ground.known && s.now().Sub(s.started) <= term.BackgroundLimit {
		s.ground = ground{dark: dark, known: true}
		s.chooseTheme()
	}
}

// columns returns the greatest width of a line in the live part. The last column stays free: a
// full line leaves ghosts when the window is made narrower.
func (s *surface) columns() int { return max(8, s.width-1) }

// spinner returns the present frame of the spinner, which depends only on the clock.
func (s *surface) spinner() string {
	at := s.now().Sub(s.started) / tickTime
	return string(spinnerFrames[max(0, int(at))%len(spinnerFrames)])
}

func (s *surface) showHint(text string, quits bool) {
	if s.plain {
		s.note(warn, "!", text)
	}
	s.hint = hint{text: text, until: s.now().Add(hintTime), quits: quits}
}

// answer prints the answer of a command, with blank lines around it.
func (s *surface) answer(lay transcript.Layout) { s.print(transcript.Text, lay) }

// print adds a finished entry to the transcript.
func (s *surface) print(kind transcript.Kind, lay transcript.Layout) {
	s.endHeld()
	s.transcript.Add(kind, lay, s.theme, s.columns())
}

// note prints a line that reports an event: a glyph, then words. The words may come from anybody,
// so they are cut to a limit.
func (s *surface) note(look func(*style.Theme) style.Style, glyph, text string) {
	s.print(transcript.Line, noteRows(look, glyph, text))
}

// noteRows lays out a note.
func noteRows(look func(*style.Theme) style.Style, glyph, text string) transcript.Layout {
	text = strings.TrimSpace(humanize.Brief(style.CleanProse(text)))
	return func(t *style.Theme, width int) []string {
		sign := t.Sign(look(t), glyph)
		margin := strings.Repeat(" ", style.Width(sign))
		rows := style.WrapSpans(t.Linked(t.SpellSigns(text), look(t)), max(10, t.Prose(width)-len(margin)))
		return style.Indent(rows, sign, margin)
	}
}

// dim, warn and bad are the looks of notes.
func dim(t *style.Theme) style.Style { return t.Dim }

func warn(t *style.Theme) style.Style { return t.Warn }

func bad(t *style.Theme) style.Style { return t.Bad }

// endHeld prints the held entry.
func (s *surface) endHeld() {
	if h := s.held; h != nil {
		s.held = nil
		s.print(h.kind(), h.rows())
	}
}

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

// surface holds the state that all parts of the screen share. It includes the transcript to which they
// print, the theme, the size of the window, and the status of the conversation.
type surface struct {
	ctx     context.Context
	now     func() time.Time
	started time.Time
	// plain is set if the interface prints and reads lines, without escape sequences.
	plain     bool
	environ   environment
	workspace string
	// settings returns the current settings of the screen. boundKeys returns the current table of keys.
	// palettes holds the user's own themes.
	settings  func() Settings
	boundKeys func() *keymap.Map
	palettes  []style.Palette

	width, height int
	// ground is the terminal's background, if it is known.
	ground ground
	keys   *keymap.Map
	// links is the setting from which the links of the theme were made.
	links string
	// colors is the color support of the terminal.
	colors style.Colors
	theme  *style.Theme
	md     *markdown.Renderer

	transcript transcript.Transcript
	// held is an entry that must be printed before anything else, or nil for none.
	held held
	// again is set if all printed entries must be printed again, at the new width.
	again bool
	// calling is set until the user has been notified. bell is set if the next frame rings the bell.
	calling, bell bool
	hint          hint

	status chat.Status
	stats  chat.Stats
}

// held is a finished entry that is not printed yet, because a later event may add to it.
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
	// rewinds is set if the next Esc opens the list of messages to return to.
	rewinds bool
	// modes is set if the key for the next approval mode takes effect although a question is open.
	modes bool
}

// hintTime is the time for which a hint is shown, and within which a second Ctrl+C quits.
const hintTime = 2 * time.Second

func newSurface(ctx context.Context, opts Options, width, height int) *surface {
	s := &surface{
		ctx: ctx, now: opts.Now, started: opts.Now(), plain: opts.Plain, environ: opts.Environ, workspace: opts.Workspace,
		settings: opts.set, boundKeys: opts.Keys, palettes: opts.Palettes,
		width: width, height: height, status: opts.Status,
	}
	if s.boundKeys == nil {
		s.boundKeys = keymap.Default
	}
	s.colors = style.DetectColors(s.environ.get)
	s.ground.dark, s.ground.known = term.DeclaredBackground(s.environ.get("COLORFGBG"))
	s.chooseTheme()
	return s
}

// chooseTheme applies the current settings: the theme, the links and the keys.
func (s *surface) chooseTheme() {
	s.keys = s.boundKeys()
	set := s.settings()
	offered := func(name string) style.Palette {
		return style.PaletteFor(name, s.ground.dark || !s.ground.known, s.palettes...)
	}
	if p := offered(set.Theme); s.theme == nil || !s.plain && s.theme.Palette != p.Name {
		s.theme = style.NewTheme(s.colors, p)
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

// background applies the terminal's answer about its background, unless the answer is late.
func (s *surface) background(dark bool) {
	if !s.ground.known && s.now().Sub(s.started) <= term.BackgroundLimit {
		s.ground = ground{dark: dark, known: true}
		s.chooseTheme()
	}
}

// columns returns the largest width of a line in the live part. The last column stays free, because a full
// line leaves remains when the window is made narrower.
func (s *surface) columns() int { return max(8, s.width-1) }

// spinner returns the current frame of the spinner, which depends only on the clock.
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

// answer prints the answer of a command, with blank lines before and after it.
func (s *surface) answer(lay transcript.Layout) { s.print(transcript.KindText, lay) }

// print adds a finished entry to the transcript.
func (s *surface) print(kind transcript.Kind, lay transcript.Layout) {
	s.endHeld()
	s.transcript.Add(kind, lay, s.theme, s.columns())
}

// note prints a line that reports an event: a glyph, then text. The text may be external, so it is
// shortened to a limit.
func (s *surface) note(look func(*style.Theme) style.Style, glyph, text string) {
	s.print(transcript.KindLine, noteRows(look, glyph, text))
}

func noteRows(look func(*style.Theme) style.Style, glyph, text string) transcript.Layout {
	text = strings.TrimSpace(humanize.Brief(style.CleanProse(text)))
	return func(t *style.Theme, width int) []string {
		sign := t.Sign(look(t), glyph)
		margin := strings.Repeat(" ", style.Width(sign))
		rows := style.WrapSpans(t.LinkText(t.SpellSigns(text), look(t)), max(10, t.ProseWidth(width)-len(margin)))
		return style.Indent(rows, sign, margin)
	}
}

// dim, warn and bad return the styles of notes.
func dim(t *style.Theme) style.Style { return t.Dim }

func warn(t *style.Theme) style.Style { return t.Warn }

func bad(t *style.Theme) style.Style { return t.Bad }

func (s *surface) endHeld() {
	if h := s.held; h != nil {
		s.held = nil
		s.print(h.kind(), h.rows())
	}
}

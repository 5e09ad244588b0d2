package tui

import (
	"cmp"
	"context"
	"strings"
	"time"

	"agent/internal/chat"
	"agent/internal/tui/keymap"
	"agent/internal/tui/link"
	"agent/internal/tui/markdown"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/tui/transcript"
	"agent/internal/words"
)

// surface is what every part of the screen prints on and is drawn with: the transcript,
// the look, the size of the window, the clock, and what is known of the conversation.
type surface struct {
	opts    Options
	ctx     context.Context
	started time.Time

	width, height int
	// ground is what is known of the terminal's background.
	ground ground
	keys   *keymap.Map
	// links is the setting that the theme's links were made of.
	links string
	// colours is how many colours the terminal has.
	colours style.Colours
	theme   *style.Theme
	md      *markdown.Renderer

	transcript transcript.Transcript
	// held is printed before anything else is; nil for none.
	held held
	// again is set when everything printed is to be printed anew, at the new width.
	again bool
	// calling is set until the person was called; bell rings with the next frame.
	calling, bell bool
	hint          hint

	status chat.Status
	stats  chat.Stats
}

// held is an entry that waits for what may belong to it.
type held interface{ rows() transcript.Lay }

// ground is what is known of the terminal's background.
type ground struct{ dark, known bool }

// hint takes the place of the status line for a moment.
type hint struct {
	text  string
	until time.Time
	// quits is set when the next Ctrl+C quits.
	quits bool
	// rewinds is set when the next Esc opens what one can go back to.
	rewinds bool
}

// hintTime is how long a hint stays, and how quick the second Ctrl+C must be.
const hintTime = 2 * time.Second

// newSurface returns the surface of a window of that size.
func newSurface(ctx context.Context, opts Options, width, height int) *surface {
	if opts.Keys == nil {
		opts.Keys = keymap.Default
	}
	s := &surface{
		opts: opts, ctx: ctx, colours: style.DetectColours(opts.env), width: width, height: height,
		status: opts.Status, started: opts.Now(),
	}
	s.ground.dark, s.ground.known = term.DeclaredBackground(opts.env("COLORFGBG"))
	s.chooseTheme()
	return s
}

// chooseTheme works out the styles for the theme that is set, and takes the keys as they
// are now.
func (s *surface) chooseTheme() {
	s.keys = s.opts.Keys()
	set := s.opts.set()
	if p := style.PaletteFor(set.Theme, s.ground.dark || !s.ground.known); s.theme == nil || !s.opts.Plain && s.theme.Palette != p.Name {
		s.theme = style.NewTheme(s.colours, p)
		if s.opts.Plain {
			s.theme = style.NewSpoken()
		}
		s.md = markdown.New(s.theme)
		s.links = ""
	}
	s.theme.Opens, s.theme.Columns = s.keys.Label("outputs"), cmp.Or(set.Columns, style.Columns)
	if set.Links != s.links && !s.opts.Plain {
		s.links = set.Links
		s.theme.Links = link.New(set.Links, s.opts.env, s.opts.Workspace, s.opts.Now)
	}
}

// background takes the terminal's answer about its background, unless it is late.
func (s *surface) background(dark bool) {
	if !s.ground.known && s.opts.Now().Sub(s.started) <= term.BackgroundLimit {
		s.ground = ground{dark: dark, known: true}
		s.chooseTheme()
	}
}

// columns is how wide lines of the live part may be. The last column stays free: a
// full line leaves ghosts when the window is made narrower.
func (s *surface) columns() int { return max(8, s.width-1) }

// spinner is the frame for now; it needs no state.
func (s *surface) spinner() string {
	at := s.opts.Now().Sub(s.started) / tickTime
	return string(spinnerFrames[max(0, int(at))%len(spinnerFrames)])
}

func (s *surface) showHint(text string, quits bool) {
	if s.opts.Plain {
		s.note(warn, "!", text)
	}
	s.hint = hint{text: text, until: s.opts.Now().Add(hintTime), quits: quits}
}

// answer prints the answer of a command, with blank lines around it.
func (s *surface) answer(lay transcript.Lay) { s.print(transcript.Text, lay) }

// print adds a finished entry to the transcript.
func (s *surface) print(kind transcript.Kind, lay transcript.Lay) {
	s.endHeld()
	s.transcript.Add(kind, lay, s.theme, s.columns())
}

// note prints a line that reports what happened: a glyph, then words, which may be those of
// anybody and have a bound.
func (s *surface) note(look func(*style.Theme) style.Style, glyph, text string) {
	s.print(transcript.Line, noteRows(look, glyph, text))
}

// noteRows arranges a note.
func noteRows(look func(*style.Theme) style.Style, glyph, text string) transcript.Lay {
	text = strings.TrimSpace(words.Brief(style.CleanProse(text)))
	return func(t *style.Theme, width int) []string {
		sign := t.Sign(look(t), glyph)
		margin := strings.Repeat(" ", style.Width(sign))
		rows := style.WrapSpans(t.Linked(t.Say(text), look(t)), max(10, t.Prose(width)-len(margin)))
		return style.Indent(rows, sign, margin)
	}
}

// The looks of notes.
func dim(t *style.Theme) style.Style { return t.Dim }

func warn(t *style.Theme) style.Style { return t.Warn }

func bad(t *style.Theme) style.Style { return t.Bad }

// endHeld prints what was held.
func (s *surface) endHeld() {
	if h := s.held; h != nil {
		s.held = nil
		s.print(transcript.Line, h.rows())
	}
}

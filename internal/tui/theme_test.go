package tui

import (
	"testing"
	"time"

	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

func TestBackgroundAnswerCountsOnlyInTime(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.model.surface.colors = style.Colors16
	s.clock = s.clock.Add(50 * time.Millisecond)
	s.update(inputMsg{term.Background{Dark: false}})
	if s.model.surface.theme.Palette != style.Light {
		t.Error("an answer in time was not used")
	}
	s = newScreenplay(t, 60, 24)
	s.clock = s.clock.Add(time.Second)
	s.update(inputMsg{term.Background{Dark: false}})
	if s.model.surface.theme.Palette != style.Dark {
		t.Error("a late answer changed the colours")
	}
}

func TestThemeFollowsTheSetting(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	set := style.Dark
	s.model.surface.settings = func() Settings { return Settings{Theme: set} }
	s.model.surface.chooseTheme()
	set = style.Light
	s.typed("/help")
	s.press("enter")
	if s.model.surface.theme.Palette != style.Light {
		t.Error("the theme set by a command is not used")
	}
}

// A theme is a value in the list. A new one is offered, can be selected by name, and is applied.
func TestAThemeIsAValue(t *testing.T) {
	t.Parallel()
	for _, p := range style.Palettes {
		if style.PaletteFor(p.Name, true) != p || style.PaletteFor(p.Name, false) != p {
			t.Errorf("%s is not had by its name", p.Name)
		}
	}
	if style.PaletteFor(style.Auto, true).Name != style.Dark || style.PaletteFor(style.Auto, false).Name != style.Light {
		t.Error("auto is not what fits the ground")
	}
	third := style.Palettes[0]
	third.Name, third.Red, third.UserGround = "third", style.Color{TrueColor: "#cc0011", ANSI256: "160", ANSI: "9"}, style.Color{TrueColor: "#000001", ANSI256: "16"}
	for colors, want := range map[style.Colors]string{style.TrueColors: "\x1b[38;2;204;0;17m", style.Colors256: "\x1b[38;5;160m", style.Colors16: "\x1b[91m", style.NoColors: ""} {
		theme := style.NewTheme(colors, third)
		if theme.Bad.On != want {
			t.Errorf("with %d colours red is %q, want %q", colors, theme.Bad.On, want)
		}
		if ground := theme.UserGround.On != ""; ground != (colors <= style.Colors256) {
			t.Errorf("with %d colours the ground is %q", colors, theme.UserGround.On)
		}
	}
}

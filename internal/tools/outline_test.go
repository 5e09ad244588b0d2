package tools

import (
	"strings"
	"testing"
)

func TestOutlinesOfOtherLanguages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"a.py": {`import os

@cached
def top(a,
        b):
    """Doc { with
def not_this():
    """
    return {"x": 1}

class Box(Base):
    size = 3

    async def put(self, x):
        if x:
            return 1

    def get(self): return 2

x = 1
`, `4-9|def top(a,
11-18|class Box(Base):
14-16|    async def put(self, x):
18-18|    def get(self): return 2
`},
		"a.ts": {`import { x } from "y";

export interface Shape { area(): number }

export type Id = string | number;

export class Circle implements Shape {
  constructor(private r: number) {}

  area(): number {
    // } not the end
    if (this.r > 0) {
      return 3;
    }
    return "}".length;
  }
}

export const make = async (r: number) => {
  return new Circle(r);
};

export default function main() {
  for (const a of []) { make(a); }
}
`, `3-3|export interface Shape { area(): number }
5-5|export type Id = string | number;
7-17|export class Circle implements Shape
8-8|  constructor(private r: number) {}
10-16|  area(): number
19-21|export const make = async (r: number) =>
23-25|export default function main()
`},
		"a.rs": {`use std::fmt;

pub struct Point<'a> { x: &'a str }

impl<'a> fmt::Display for Point<'a> {
    fn fmt(&self) -> fmt::Result {
        write!(f, "{}", self.x)
    }
}

pub(crate) async fn run() {}

const MAX: usize = 3;
macro_rules! say {
    () => {};
}
`, `3-3|pub struct Point<'a> { x: &'a str }
5-9|impl<'a> fmt::Display for Point<'a>
6-8|    fn fmt(&self) -> fmt::Result
11-11|pub(crate) async fn run() {}
13-13|const MAX: usize = 3;
14-16|macro_rules! say
`},
		"A.java": {`package a;

public final class A extends B {
    private int x = call(1);

    @Override
    public List<String> names(int n) throws E {
        return new ArrayList<>();
    }

    enum Color { RED }
}
`, `3-12|public final class A extends B
7-9|    public List<String> names(int n) throws E
11-11|    enum Color { RED }
`},
		"a.c": {`#include <x.h>
#define MAX(a) \
	(a)

struct point {
	int x;
};

static int
helper(void);

int main(int argc,
         char **argv)
{
	if (argc) { puts("{"); }
	return 0;
}
`, `2-3|#define MAX(a) \
5-7|struct point
12-17|int main(int argc,
`},
		"a.sh": {`#!/bin/sh
greet() {
  echo "}" # }
}
function bye {
  greet
}
greet
`, `2-4|greet()
5-7|function bye
`},
		"a.rb": {`module Shop
  class Store
    def put(x)
      x
    end

    def self.open?
    end
  end
end
`, `1-10|module Shop
2-9|  class Store
3-5|    def put(x)
7-8|    def self.open?
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := fileEnv(t, map[string]string{name: c.text})
			answer := mustRun(t, env, astReadFile(), params{"file_path": name})
			heading, got, _ := strings.Cut(answer.ModelText(), "\n")
			if !strings.Contains(heading, "guessed by ") {
				t.Errorf("the heading does not say that it is a guess: %s", heading)
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestSymbolOfAnotherLanguage(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a.py": "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n", "a.txt": "x"})
	answer := mustRun(t, env, astReadFile(), params{"file_path": "a.py", "symbol": "B.f"})
	if !strings.HasPrefix(answer.ModelText(), "[B.f, lines 6-7 of a.py; Python, guessed by indentation]\n    def f(self):\n        return 2\n") {
		t.Errorf("got %s", answer.ModelText())
	}
	mustRefuse(t, env, astReadFile(), params{"file_path": "a.py", "symbol": "f"}, "A.f (lines 2-3)", "B.f (lines 6-7)")
	mustRefuse(t, env, astReadFile(), params{"file_path": "a.txt"}, "unknown language", "read_file")
}

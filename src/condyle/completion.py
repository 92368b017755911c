"""``condyle completion SHELL``: what a shell offers when the tabulator is pressed, written from the parser itself."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

__all__ = ["SHELLS", "script"]

SHELLS = ("bash", "zsh", "fish")
WITH_STUDIES = ("list", "run", "verify", "sweep")  # commands that take names of studies


def script(parser: argparse.ArgumentParser, shell: str, studies: Sequence[str]) -> str:
    """The script that a shell reads: commands, their options, names of studies, and files elsewhere."""
    options = {name: _options(command) for name, command in _commands(parser).items()}
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](options, studies)


def _commands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    (found,) = (a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(found)


def _options(command: argparse.ArgumentParser) -> list[str]:
    return sorted(word for action in command._actions for word in action.option_strings if word.startswith("--"))


def _bash(options: Mapping[str, Sequence[str]], studies: Sequence[str]) -> str:
    cases = "\n".join(
        f'    {name}) words="{" ".join(_words(name, given, studies))}" ;;' for name, given in options.items()
    )
    return f"""# bash completion for condyle: eval "$(condyle completion bash)"
_condyle() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(options)}" -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _condyle condyle
"""


def _zsh(options: Mapping[str, Sequence[str]], studies: Sequence[str]) -> str:
    """That of bash, which zsh can read."""
    first = '# zsh completion for condyle: eval "$(condyle completion zsh)"\nautoload -U bashcompinit && bashcompinit\n'
    return first + _bash(options, studies)


def _fish(options: Mapping[str, Sequence[str]], studies: Sequence[str]) -> str:
    lines = ["# fish completion for condyle: condyle completion fish | source"]
    lines.append(f"complete -c condyle -n __fish_use_subcommand -f -a '{' '.join(options)}'")
    for name, given in options.items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c condyle {seen} -l {option.removeprefix('--')}" for option in given]
        if name in WITH_STUDIES:
            lines.append(f"complete -c condyle {seen} -a '{' '.join(studies)}'")
    return "\n".join(lines) + "\n"


def _words(name: str, given: Sequence[str], studies: Sequence[str]) -> list[str]:
    return [*given, *(studies if name in WITH_STUDIES else ())]

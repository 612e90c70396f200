"""Paths into values: as tuples of keys, indices and EACH, and as the fields option has them."""

from answers import MISSING

EACH = ...  # the step [*]


def follow(value, path):
    for i, step in enumerate(path):
        if step is EACH:
            return [follow(item, path[i + 1 :]) for item in value] if isinstance(value, list) else MISSING
        if isinstance(step, str):
            value = value[step] if isinstance(value, dict) and step in value else MISSING
        elif isinstance(value, list) and -len(value) <= step < len(value):
            value = value[step]
        else:
            value = MISSING
        if value is MISSING:
            break
    return value


def spell(path):
    text = ""
    for step in path:
        if step is EACH:
            text += "[*]"
        elif isinstance(step, int):
            text += f"[{step}]"
        else:
            bare = step and not set(step) & set('.[]"@,:= ')
            quoted = step.replace("\\", "\\\\").replace('"', '\\"')
            text += ("." if text else "") + (step if bare else f'"{quoted}"')
    return text


def selecting(paths):
    """What a case has for its paths."""
    return {"fields": ",".join(f"f{i}={spell(path)}" for i, path in enumerate(paths)), "paths": paths}


def choose_path(rng, value):
    path = []
    while len(path) < 8:
        if isinstance(value, dict) and value and rng.random() < 0.85:
            path.append(rng.choice(list(value)) if rng.random() < 0.95 else "no_such_key")
        elif isinstance(value, list) and rng.random() < 0.4:
            path.append(EACH)
            value = rng.choice(value) if value else None
            continue
        elif isinstance(value, list) and rng.random() < 0.8:
            path.append(rng.randrange(-len(value) - 1, len(value) + 1))
        else:
            break
        value = follow(value, path[-1:])
    return path


def choose_paths(rng, values, n):
    paths = [choose_path(rng, rng.choice(values)) for _ in range(n)] if values else []
    return [path for path in paths if path and not any("\0" in step for step in path if isinstance(step, str))]


def from_keys(paths):
    """Those that begin with a key, as they must where values are records or maps."""
    return [path for path in paths if isinstance(path[0], str)]


def walk(value, path, found):
    if isinstance(value, dict):
        for key, item in value.items():
            walk(item, (*path, key), found)
    elif isinstance(value, list):
        found[path] = True
        for item in value[:1] + value[-1:]:
            walk(item, (*path, 0), found)
            walk(item, (*path, -1), found)
        for item in value:
            walk(item, (*path, EACH), found)
    else:
        found[path] = True


def leaf_paths(values):
    """All that lead to no record, list items by [*] and by the first and the last index."""
    found = {}
    for value in values:
        walk(value, (), found)
    return [list(path) for path in found if path and isinstance(path[0], str)]

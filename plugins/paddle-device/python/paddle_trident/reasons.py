"""Why there is no device ``mps``, and what to do."""

from __future__ import annotations

import mmap
import os

from paddle_trident import folder, library, places

PAGE = "docs/paddle-device.md"
WITHOUT_DEVICES = (
    "this build of Paddle has no custom devices, as all wheels for macOS. There are two ways out: "
    "run exported models without Paddle by `trident.Model` (pip install trident), or build Paddle "
    f"with `-DWITH_CUSTOM_DEVICE=ON`. {PAGE} has both"
)


def why() -> str | None:
    """Why the device is not available, and what to do. ``None`` if it is available."""
    if places.is_registered() and places.count() > 0:
        return None
    if not os.path.exists(folder.LIBRARY):
        return f"the plug-in is not at {folder.LIBRARY}: install paddle-trident again"
    if not _has_custom_devices():
        return WITHOUT_DEVICES
    if not folder.is_chosen():
        return (
            f"{folder.VARIABLE} is {os.environ.get(folder.VARIABLE)!r}, so Paddle loads plug-ins "
            f"from there: unset it, or copy {folder.LIBRARY} into that folder"
        )
    try:
        reason = library.text("reason")
    except OSError as error:
        return f"the plug-in cannot be loaded: {error}"
    return reason or (
        "Paddle was imported before paddle-trident was found: start Python again, without -S and -I"
    )


def _has_custom_devices() -> bool:
    """Whether Paddle's libraries look for plug-ins, by the name of their entry point."""
    import paddle

    folders = (os.path.join(paddle.__path__[0], name) for name in ("libs", "base"))
    paths = [
        os.path.join(folder_of_it, name)
        for folder_of_it in folders
        if os.path.isdir(folder_of_it)
        for name in sorted(os.listdir(folder_of_it))
        if name.startswith(("libphi_core.", "libpaddle."))
    ]
    return not paths or any(map(_names_entry_point, paths))


def _names_entry_point(path: str) -> bool:
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(b"InitPlugin") >= 0

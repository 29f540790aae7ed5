"""Stubs of what Trident links on macOS, which a linker takes in place of the libraries.

A name that is not listed is a link error, as it would be if the library lacked it. Names come from
Apple's headers, not from the crates that declare them: of those, some belong to other libraries.
Classes of Objective-C are looked up when the program runs. zig itself has libSystem.
"""

import pathlib

#: Libraries by the path that programs load them from, with the symbols that are used.
LIBRARIES = {
    "/usr/lib/libiconv.2.dylib": "",
    "/usr/lib/libobjc.A.dylib": """
        class_addIvar class_addMethod class_copyIvarList class_copyMethodList
        class_copyProtocolList class_getClassMethod class_getInstanceMethod
        class_getInstanceVariable class_getName class_getSuperclass class_isMetaClass
        class_respondsToSelector ivar_getName ivar_getOffset ivar_getTypeEncoding
        method_copyArgumentType method_copyReturnType method_getImplementation method_getName
        method_getTypeEncoding method_setImplementation objc_alloc objc_autoreleasePoolPop
        objc_autoreleasePoolPush objc_copyClassList objc_copyProtocolList objc_getClass
        objc_getProtocol objc_msgSend objc_registerProtocol objc_release objc_retain
        objc_retainAutoreleasedReturnValue object_getClass protocol_addMethodDescription
        protocol_addProtocol protocol_copyMethodDescriptionList protocol_copyProtocolList
        protocol_getName sel_getName sel_registerName
    """,
    "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation": """
        CFDateCreate CFDateGetAbsoluteTime CFGetRetainCount CFGetTypeID CFNumberGetTypeID
        CFNumberGetValue CFRelease CFStringCreateWithCString kCFAbsoluteTimeIntervalSince1970
    """,
    "/System/Library/Frameworks/CoreGraphics.framework/Versions/A/CoreGraphics": "",
    "/System/Library/Frameworks/Foundation.framework/Versions/C/Foundation": """
        NSLocalizedDescriptionKey
    """,
    "/System/Library/Frameworks/IOKit.framework/Versions/A/IOKit": """
        IOObjectRelease IORegistryEntryCreateCFProperty IOServiceGetMatchingService
        IOServiceMatching
    """,
    "/System/Library/Frameworks/Metal.framework/Versions/A/Metal": "MTLCreateSystemDefaultDevice",
}


def stub(path: pathlib.PurePosixPath) -> str:
    """Where the stub of a library lies below the folder of stubs."""
    for folder in path.parents:
        if folder.suffix == ".framework":
            return str(folder.relative_to("/") / f"{path.name}.tbd")
    return f"usr/lib/{path.name.partition('.')[0]}.tbd"


def text(path: str, names: list[str]) -> str:
    """A stub in the text form of Apple's tools."""
    symbols = ", ".join(f"'_{name}'" for name in sorted(names))
    return f"""--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos ]
install-name: '{path}'
current-version: 1
compatibility-version: 1
exports:
  - targets: [ arm64-macos ]
    symbols: [ {symbols} ]
...
"""


def write(folder: pathlib.Path) -> None:
    """Write all stubs below `folder`."""
    for path, names in LIBRARIES.items():
        file = folder / stub(pathlib.PurePosixPath(path))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text(path, names.split()))

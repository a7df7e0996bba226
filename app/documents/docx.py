"""Word documents to Markdown, by way of mammoth's HTML: headings, lists and tables stay what they are."""

import io
import zipfile

import mammoth  # type: ignore[import-untyped]  # ships no types

from app.documents.extract import Extract, Refused
from app.documents.html import from_markup

LARGEST = 300_000_000  # bytes unpacked: a small archive may hold a bomb
_OLE = b"\xd0\xcf\x11\xe0"  # the container of encrypted documents, and of Word before 2007
_STYLES = "p[style-name='Title'] => h1:fresh"


def docx(data: bytes) -> Extract:
    if data.startswith(_OLE):
        raise Refused("is encrypted, or in the format of Word before 2007; save it as an unprotected .docx")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > LARGEST:
                raise Refused("unpacks to more than 300 MB")
        converted = mammoth.convert_to_html(
            io.BytesIO(data), style_map=_STYLES, convert_image=mammoth.images.img_element(lambda image: {})
        )
    except Refused:
        raise
    except Exception as error:  # mammoth lets through whatever a broken archive or its XML raises
        raise Refused(f"is broken: it is no Word document ({type(error).__name__})") from error
    return from_markup(converted.value)

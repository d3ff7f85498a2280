"""Any pictures: where they come from (:func:`read_pictures`), and a picture as numbers (:class:`PictureFormat`).

    folder, file or array ── read_pictures ──▶ Pictures ── PictureFormat ──▶ matrix (n, p)

Grey ones become pixels of one size; colour ones the 512 numbers of a frozen ResNet-18. Size and white come from public
pictures and are fixed before anybody's picture is read with them.
"""

from rlm_core.pictures.files import Pictures, are_pictures, read_pictures
from rlm_core.pictures.format import PictureFormat

__all__ = ["PictureFormat", "Pictures", "are_pictures", "read_pictures"]

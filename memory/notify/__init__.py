"""Notifications: which device tells of a reminder, and reaching it while no page is open."""

from memory.notify.delivery import deliver
from memory.notify.push import Gone, NotDelivered, Pusher, is_public_address
from memory.notify.targets import Target, choose
from memory.notify.vapid import load_key, public_key

__all__ = [
    "Gone",
    "NotDelivered",
    "Pusher",
    "Target",
    "choose",
    "deliver",
    "is_public_address",
    "load_key",
    "public_key",
]

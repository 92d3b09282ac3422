"""Web Push: encrypted for one browser (RFC 8291), signed with the server's key (RFC 8292)."""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02
from pywebpush import WebPushException, webpush

from memory.storage.subscriptions import Subscription

_TIMEOUT_S = 10.0
_TTL_S = 24 * 3600  # how long a push service keeps it for a browser that is off
_GONE = (404, 410)


class NotDelivered(Exception):
    """The push service did not take it; it may take it later."""


class Gone(Exception):
    """The browser withdrew its subscription, or it can never be used: remove it."""


@dataclass(frozen=True, kw_only=True)
class Pusher:
    """Sends to push services."""

    key: ec.EllipticCurvePrivateKey
    contact: str  # mailto: or https:, for the push service's operator
    may_reach_this_network: bool = False  # tests and a server that only its own machine reaches

    def send(self, to: Subscription, message: Mapping[str, Any], *, topic: str) -> None:
        """Send one message to one browser.

        Args:
            topic: at most 32 letters of base64url; a message that waits at the push
                service is replaced by a newer one of its topic.

        Raises:
            Gone: the subscription is of no use any more.
            NotDelivered: the push service is not reached, or refuses for now.
        """
        if not self.may_reach_this_network and not is_public_address(to.endpoint):
            raise Gone
        line = requests.Session()
        line.max_redirects = 0  # whoever names the endpoint must not lead us elsewhere
        try:
            webpush(
                subscription_info={"endpoint": to.endpoint, "keys": {"p256dh": to.p256dh, "auth": to.auth}},
                data=json.dumps(message, ensure_ascii=False),
                vapid_private_key=Vapid02(private_key=self.key),
                vapid_claims={"sub": self.contact},
                ttl=_TTL_S,
                timeout=_TIMEOUT_S,
                headers={"Urgency": "high", "Topic": topic},
                requests_session=line,
            )
        except WebPushException as error:
            # No `from`: the exception's text holds the endpoint, which is an address of the person.
            if error.response is None or error.response.status_code in _GONE:
                raise Gone from None  # without a response: keys that cannot be used
            raise NotDelivered(str(error.response.status_code)) from None
        except (requests.RequestException, OSError) as error:
            raise NotDelivered(type(error).__name__) from None
        except (ValueError, TypeError):
            raise Gone from None  # its keys are no keys
        finally:
            line.close()


def is_public_address(endpoint: str) -> bool:
    """Whether an endpoint is an https address outside of this machine and its network.

    A browser names its push service itself: nobody may make the server knock on doors
    that only the server can reach. A name that does not resolve now counts as public.
    """
    parts = urlsplit(endpoint)
    if parts.scheme != "https" or not parts.hostname:
        return False
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    except OSError:
        return True  # sending will fail, and may work later
    return all(ipaddress.ip_address(address[4][0]).is_global for address in found)

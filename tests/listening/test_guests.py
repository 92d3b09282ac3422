"""Who takes the phone: said in many ways, and never read into what is only given, lent or talked about."""

from __future__ import annotations

import pytest

from memory.listening import listen
from tests.fakes import T0

HANDED = [
    ("en", "Here's Priya, my colleague, she wants to ask you something.", "Priya", "colleague"),
    ("en", "My wife is going to type now.", "wife", "wife"),
    ("en", "Give Tom the phone", "Tom", ""),
    ("en", "I'm handing the phone to my little sister Carla for a minute.", "Carla", "little sister"),
    ("en", "Say hi to Tom, my flatmate. He's got the phone now.", "Tom", "flatmate"),
    ("en", "My flatmate Zadie would like a quick word, here she is.", "Zadie", "flatmate"),
    ("de", "Ich drücke das Telefon mal meiner Tante Hilde in die Hand.", "Hilde", "Tante"),
    ("de", "Mein Bruder Felix will dir was sagen, ich geb ihm das Handy.", "Felix", "Bruder"),
    ("de", "Ab jetzt tippt Anna, meine Kollegin.", "Anna", "Kollegin"),
    ("de", "Ich übergebe an meinen Mann.", "Mann", "Mann"),
    ("de", "Ich geb's mal an Lea weiter.", "Lea", ""),
    ("de", "Gleich kommt Opa dran.", "Opa", ""),
    ("pt", "A minha mãe quer falar contigo.", "mãe", "mãe"),
    ("pt", "Agora fala a Rita.", "Rita", ""),
    ("pt", "O meu colega Rui quer dizer-te uma coisa.", "Rui", "colega"),
    ("fr", "C'est ma fille Zoé qui parle maintenant.", "Zoé", "fille"),
    ("fr", "Ma mère veut te parler.", "mère", "mère"),
    ("es", "Mi madre quiere hablar contigo.", "madre", "madre"),
    ("es", "Te paso con Ana.", "Ana", ""),
]
KEPT = [
    ("en", "I'm giving the keys to my neighbour."),
    ("en", "I'm lending my car to Tom this weekend."),
    ("en", "My boss wants a word with me about Friday."),
    ("de", "Ich drücke meiner Tante das Geld in die Hand."),
    ("en", "Hand this letter to my boss tomorrow."),
    ("en", "My mum wants to talk to my teacher."),
    ("en", "Say hello to Tom from me."),
    ("en", "My son would like to write a book."),
    ("en", "Pass me the name of my dentist."),
    ("en", "My sister is taking the phone to the repair shop."),
    ("en", "Give Tom the 40 euros back."),
    ("en", "My wife will type up the minutes tomorrow."),
    ("de", "Ich gebe die Schlüssel meiner Nachbarin."),
    ("de", "Ich gebe meinem Bruder morgen das Buch zurück."),
    ("de", "Ich gebe mein Handy meiner Tochter zum Geburtstag."),
    ("de", "Ich übergebe die Wohnung am Montag an meinen Nachbarn."),
    ("de", "Hier ist die Adresse meiner Schwester: Gartenweg 4."),
    ("de", "Jetzt kommt meine Schwester zu Besuch."),
    ("de", "Mein Sohn möchte schreiben lernen."),
    ("pt", "Vou dar as chaves à minha vizinha."),
    ("pt", "A minha mãe quer falar com o professor."),
    ("pt", "O Zé vai falar com o chefe amanhã."),
    ("pt", "Aqui está a morada da minha irmã: Rua 4."),
    ("fr", "Je donne les clés à ma voisine."),
    ("fr", "Je passe les vacances avec Luc."),
    ("fr", "Je prête ma voiture à Inès samedi."),
    ("es", "Mi madre quiere hablar con el profesor."),
    ("es", "Aquí está la dirección de mi hermana: calle 4."),
]


@pytest.mark.parametrize(("language", "said", "name", "relation"), HANDED)
def test_whoever_takes_the_phone_is_named(language: str, said: str, name: str, relation: str) -> None:
    heard = listen(said, language=language, now=T0, zone="Europe/Berlin")
    assert (heard.speaker_change, heard.speaker_relation) == (name, relation)


@pytest.mark.parametrize(("language", "said"), KEPT)
def test_what_is_given_to_somebody_is_not_the_phone(language: str, said: str) -> None:
    assert listen(said, language=language, now=T0, zone="Europe/Berlin").speaker_change is None

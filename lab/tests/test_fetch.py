"""The loader against a real server on this machine."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fuzzyfrog.errors import DataError
from fuzzyfrog_lab.catalog import cache_folder, fetch_dataset, load_dataset, registry


class Server:
    """Serves the pages it is given; counts the requests, and can cut a page short."""

    def __init__(self):
        self.pages: dict[str, bytes] = {}
        self.cut: set[str] = set()
        self.requests: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests.append(self.path)
                page = outer.pages.get(self.path)
                if page is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page[: len(page) // 2] if self.path in outer.cut else page)

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def stop(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server(monkeypatch, tmp_path):
    running = Server()
    monkeypatch.delenv("FUZZYFROG_DATA", raising=False)
    monkeypatch.setenv("FUZZYFROG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FUZZYFROG_OPENML_URL", running.url)
    monkeypatch.setenv("FUZZYFROG_UCI_URL", running.url + "/")
    yield running
    running.stop()


def table(name, extra_rows=0):
    """Rows of a table with the registered size, an id in front and the class at the end."""
    entry = registry()[name]
    return [
        [str(row), *(f"{row * k % 97}" for k in range(entry.features)), f"c{row % entry.classes}"]
        for row in range(entry.rows + extra_rows)
    ]


def offer_openml(server, name, content=None, **changes):
    """Put a data set on the server as OpenML would."""
    entry = registry()[name]
    if content is None:
        names = "".join(f"@attribute v{k} numeric\n" for k in range(entry.features))
        labels = ",".join(f"c{k}" for k in range(entry.classes))
        rows = "\n".join(",".join(row) for row in table(name))
        head = f"@relation r\n@attribute id numeric\n{names}@attribute kind {{{labels}}}\n@data\n"
        content = (head + rows).encode()
    description = {
        "url": f"{server.url}/data.arff",
        "md5_checksum": hashlib.md5(content, usedforsecurity=False).hexdigest(),
        "default_target_attribute": "kind",
        "row_id_attribute": "id",
        **changes,
    }
    page = json.dumps({"data_set_description": description}).encode()
    server.pages[f"/api/v1/json/data/{entry.openml_id}"] = page
    server.pages["/data.arff"] = content


def offer_uci(server, name, extra_rows=0):
    """Put a data set on the server as UCI would."""
    entry = registry()[name]
    features = [f"v{k}" for k in range(entry.features)]
    roles = [("id", "ID"), *((feature, "Feature") for feature in features), ("kind", "Target")]
    variables = [{"name": variable, "role": role} for variable, role in roles]
    page = {"data": {"data_url": f"{server.url}/data.csv", "variables": variables}}
    rows = [["id", *features, "kind"], *table(name, extra_rows)]
    server.pages[f"/api/dataset?id={entry.uci_id}"] = json.dumps(page).encode()
    server.pages["/data.csv"] = "\n".join(map(",".join, rows)).encode()


def test_a_data_set_from_openml_is_cached(server):
    offer_openml(server, "glass")
    data = load_dataset("glass")
    assert data.values.shape == (214, 9)
    assert data.name == "glass (OpenML 41)"
    assert data.feature_names[0] == "v0"
    assert len(server.requests) == 2
    server.pages.clear()
    assert load_dataset("glass").values.tolist() == data.values.tolist()
    assert len(server.requests) == 2


def test_a_data_set_from_uci(server):
    offer_uci(server, "breast_tissue")
    data = fetch_dataset("breast_tissue")
    assert data.values.shape == (106, 9)
    assert data.name == "breast_tissue (UCI 192)"


def test_columns_to_ignore_may_be_a_list(server):
    offer_openml(server, "glass", ignore_attribute=["id"])
    assert fetch_dataset("glass").n_features == 9


def test_another_size_than_the_paper_is_refused(server):
    offer_uci(server, "cleveland", extra_rows=6)
    with pytest.raises(DataError, match=r"must be 297 x 13 x 5 .* got 303 x 13 x 5 from UCI 45"):
        fetch_dataset("cleveland")


def test_a_missing_page_names_the_way_out(server):
    with pytest.raises(DataError, match=r"404.*put glass\.csv into a folder.*FUZZYFROG_DATA"):
        load_dataset("glass")


def test_a_wrong_checksum_is_refused_and_not_kept(server):
    offer_openml(server, "glass", md5_checksum="0" * 32)
    with pytest.raises(DataError, match=r"download from .*/data\.arff failed .*hash"):
        fetch_dataset("glass")
    assert not (cache_folder() / "glass.arff").exists()


@pytest.mark.parametrize("name", ["glass", "breast_tissue"])
def test_a_truncated_page_is_refused_and_not_kept(server, name):
    offer_openml(server, "glass")
    offer_uci(server, "breast_tissue")
    server.cut = {"/data.arff", "/data.csv"}
    with pytest.raises(DataError, match="failed"):
        fetch_dataset(name)
    assert {path.suffix for path in cache_folder().iterdir()} == {".json"}


def test_a_damaged_cache_is_repaired(server):
    offer_openml(server, "glass")
    data = fetch_dataset("glass")
    (cache_folder() / "glass.arff").write_text("nonsense")
    assert fetch_dataset("glass").values.tolist() == data.values.tolist()


@pytest.mark.parametrize("page", [b"<html>sorry</html>", b"[]", b'{"data_set_description": {}}'])
def test_a_useless_description_is_refused_and_not_kept(server, page):
    server.pages["/api/v1/json/data/41"] = page
    with pytest.raises(DataError, match="description of the data set cannot be used"):
        fetch_dataset("glass")
    offer_openml(server, "glass")
    assert fetch_dataset("glass").n_samples == 214


def test_only_web_addresses_are_followed(server):
    offer_openml(server, "glass", url="file:///etc/hostname")
    with pytest.raises(DataError, match="no address to download it from"):
        fetch_dataset("glass")


def test_offline_with_an_empty_cache(server, monkeypatch):
    server.stop()
    with pytest.raises(DataError, match=r"Check the network.*put glass\.csv into a folder"):
        load_dataset("glass")


def test_what_no_collection_offers(server):
    with pytest.raises(DataError, match=r"no public collection offers it. Or put olitos\.csv"):
        load_dataset("olitos")
    with pytest.raises(DataError, match="got 'iris'"):
        fetch_dataset("iris")


def test_the_cache_is_in_the_home_of_the_user_by_default(monkeypatch):
    monkeypatch.delenv("FUZZYFROG_CACHE", raising=False)
    assert cache_folder().name == "fuzzyfrog"

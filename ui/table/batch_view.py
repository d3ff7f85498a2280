"""The view of a table: template, upload, what is wrong with it, one button that releases, and the result."""

from __future__ import annotations

import html
from typing import Any

import pandas as pd
import streamlit as st

from rlm_core import Budget
from rlm_core.data.loan_preprocessor import LoanPreprocessor
from rlm_core.data.schema import FEATURES, features
from ui.app import cache
from ui.app.decoding import DecodingError, decode
from ui.app.errors import guarded
from ui.components.chart import chart
from ui.kit.address import in_address
from ui.kit.formats import number, without_markup
from ui.kit.html import figures_html, table_html, table_row
from ui.kit.take_along import file_button
from ui.record.loan import level_name, level_of
from ui.record.release import ledger
from ui.table import batch, text
from ui.table.batch import TableRelease
from ui.table.csv_file import MAX_BYTES, MAX_LISTED, MAX_ROWS, LoanFile, Problem, TableError, read_loans
from ui.table.figures import legend, level_distribution, number_distribution

_FILE, _ASKED = "table_file", "table_asked"
LABEL_TITLE = "Outcome (label)"


def table_view(place: Any, model: Any, budget: Budget) -> None:
    """Upload into ``place`` above the budget; the release and its result below it."""
    with place:
        file, name = _upload(model.preprocessor, model.card.classes)
    st.header("Privatise the table", anchor=False)
    result = None
    if file is not None:
        st.html(f'<p class="rlm-lede">{text.budget_of_rows(batch.cost(file, budget), len(file.frame))}</p>')
        result = _release(file, name, model, budget)
    elif (result := batch.last()) is None:
        st.info(
            "Choose a CSV file above. The button to privatise its rows appears here.",
            icon=":material/arrow_upward:",
        )
    else:
        st.caption(f"Still here: the last table that you privatised, **{without_markup(result.name)}**.")
    if result is not None:
        _result(result)


def template(preprocessor: LoanPreprocessor, classes: tuple[str, ...]) -> str:
    """A CSV file with the right header and a few invented loans."""
    examples = cache.loans()
    table = examples.frame[[name for name in FEATURES if name in preprocessor.columns]].copy()
    table["outcome"] = [classes[label] for label in examples.target]
    return str(table.to_csv(index=False))


def columns_help(preprocessor: LoanPreprocessor) -> str:
    """Every column with its meaning and what is allowed, as HTML."""
    rows = []
    for feature in features(name for name in FEATURES if name in preprocessor.columns):
        allowed = (
            ", ".join(preprocessor.choices(feature.name))
            if feature.is_category
            else f"{feature.low:,.10g} to {feature.high:,.10g} {feature.unit}".rstrip()
        )
        rows.append((feature.name, f"{feature.title}. {feature.help}", allowed))
    rows.append(("outcome", "Label, optional. How the loan ended.", "repaid, charged off (or 0, 1)"))
    body = (
        table_row(f"<code>{html.escape(name)}</code>", html.escape(meaning), html.escape(allowed))
        for name, meaning, allowed in rows
    )
    return table_html(("column", "meaning", "allowed"), body, around="rlm-scroll rlm-tall")


def _upload(preprocessor: LoanPreprocessor, classes: tuple[str, ...]) -> tuple[LoanFile | None, str]:
    left, right = st.columns([3, 2], gap="large")
    with left:
        upload = st.file_uploader(
            f"A CSV file, up to {MAX_ROWS:,} rows and {MAX_BYTES // 2**20} MB",
            type=["csv", "txt", "tsv"],
            key="upload_table",
            max_upload_size=MAX_BYTES // 2**20,
            help="It stays on this server and is forgotten with your visit.",
        )
    with right:
        st.caption(text.CSV_COLUMNS)
        file_button(
            "Template (CSV)",
            template(preprocessor, classes),
            name="loans-template.csv",
            key="download_template",
            icon=":material/download:",
            help="The header, and 24 invented loans to try it with.",
        )
    with st.expander("The columns, and what may be in them"):
        st.html(columns_help(preprocessor))
    if upload is None:
        return None, ""
    file = _read(upload, preprocessor, classes)
    return (None, "") if file is None else (_choose_rows(file), upload.name)


def _read(upload: Any, preprocessor: LoanPreprocessor, classes: tuple[str, ...]) -> LoanFile | None:
    """Read once for each upload: the file is the visitor's, so it is kept in the visit, not in a cache."""
    key = (upload.file_id, upload.size, preprocessor)
    known = st.session_state.get(_FILE)
    if known is None or known[0] != key:
        with st.spinner("Reading the file …"):
            try:
                known = (key, decode(read_loans, upload.getvalue(), preprocessor, classes))
            except TableError as error:
                known = (key, error)
            except DecodingError as error:
                known = (key, TableError(str(error)))
        st.session_state[_FILE] = known
    if isinstance(known[1], TableError):
        st.warning("**This file cannot be used yet.** Nothing was released.", icon=":material/table_rows:")
        st.html(problem_table(known[1].problems))
        st.caption("Correct it and upload it again; the template above has the right columns.")
        return None
    return known[1]


def _choose_rows(file: LoanFile) -> LoanFile | None:
    """All rows if they are good; otherwise only with the visitor's consent the good ones."""
    label = "with labels" if file.labels is not None else "without a label column, so only the features are released"
    if file.ignored:
        names = ", ".join(without_markup(name) for name in file.ignored[:12])
        more = f" and {len(file.ignored) - 12} more" if len(file.ignored) > 12 else ""
        st.caption(f"Ignored, because the mechanism does not use them: {names}{more}.")
    if not file.rows:
        st.warning("**The file has a header, but no rows.** Nothing was released.", icon=":material/table_rows:")
        return None
    if not file.problems:
        st.caption(f":material/check: **{file.rows:,} rows** read, {label}.")
        return file
    st.warning(
        f"**{file.bad_rows:,} of {file.rows:,} rows have a problem** ({file.problem_count:,} in all). "
        "Nothing was released.",
        icon=":material/table_rows:",
    )
    st.html(problem_table(file.problems))
    if file.problem_count > len(file.problems):
        st.caption(f"The first {MAX_LISTED} are listed.")
    if file.frame.empty:
        return None
    leave_out = st.checkbox(
        f"Leave them out, and go on with the {len(file.frame):,} good rows", key=f"leave_out_{file.digest}"
    )
    return file if leave_out else None


def problem_table(problems: list[Problem] | tuple[Problem, ...]) -> str:
    """Problems by line and column, as HTML."""
    rows = (
        table_row(
            "" if each.line is None else each.line,
            "" if each.column is None else f"<code>{html.escape(each.column)}</code>",
            html.escape(each.message),
        )
        for each in problems
    )
    return table_html(("line", "column", "problem"), rows, look="rlm-ledger rlm-problems", around="rlm-scroll")


def _release(file: LoanFile, name: str, model: Any, budget: Budget) -> TableRelease | None:
    """The button, and the result for this choice if there is one. Only the button draws."""
    place = st.empty()
    if st.session_state.pop(_ASKED, None) == batch.key(file, model.card.name, budget):
        count = len(file.frame)
        bar = place.progress(0.0, text=f"Privatising {count:,} rows …")

        def show(done: int) -> None:
            bar.progress(done / count, text=f"Privatised {done:,} of {count:,} rows …")

        batch.draw(file, name, model, budget, progress=show)
    found = batch.kept(file, model.card.name, budget)
    rows = "1 row" if len(file.frame) == 1 else f"{len(file.frame):,} rows"
    verb = f"Privatise {rows}" if found is None else f"Privatise {rows} again"
    place.button(
        f"{verb} (spends ε = {number(batch.cost(file, budget))} for each person)",
        key="draw_table",
        type="primary" if found is None else "secondary",
        icon=":material/casino:",
        help="Every row gets its own noise. Privatising the same table again is a second report about everybody in it.",
        on_click=_ask,
        args=(batch.key(file, model.card.name, budget),),
    )
    return found


def _ask(key: tuple[Any, ...]) -> None:
    """Remember the wish for exactly this choice; the run that follows draws, with a bar to look at."""
    st.session_state[_ASKED] = key


def _result(result: TableRelease) -> None:
    entries = list(ledger().of(result.record))
    total = ledger().spent(result.record)
    label = "with labels" if result.y_private is not None else "no labels"
    st.html(
        figures_html(
            (f"{len(result.z_private):,}", f"rows privatised, {label}"),
            (f"ε = {number(result.epsilon)}", "each person, with this table"),
            (
                f"ε = {number(total)}",
                f"each person, over {len(entries)} release{'s' if len(entries) > 1 else ''} of this table",
            ),
        )
    )
    st.caption(text.COUNTED)
    st.dataframe(result.table(5), hide_index=True, key="table_head")
    st.caption(
        "The first five rows of what the collector gets: z̃ is the report"
        + (", ỹ the privatised label" if result.y_private is not None else "")
        + ", x̃ what a decoder makes of z̃ (for words, the most likely). Rows are in the order of your file."
    )
    file_button(
        "Privatised table (CSV)",
        lambda: str(result.table().to_csv(index=False)),  # made when it is asked for
        name="privatised.csv",
        key="download_table",
        icon=":material/download:",
        type="primary",
    )
    st.header("What became of each column?", anchor=False)
    distributions(result)


@st.fragment
@guarded
def distributions(result: TableRelease) -> None:
    """One column before and after; choosing another draws nothing."""
    titles = {FEATURES[name].title: name for name in FEATURES if name in result.x_decoded}
    if result.y_private is not None:
        titles[LABEL_TITLE] = ""
    title = st.selectbox("Column", list(titles), **in_address("column"))
    name = titles.get(title or "", next(iter(titles.values())))
    chart(column_figure(result, name), key="distribution", alt=f"{title}, before and after")
    st.html(legend())
    st.caption(text.DISTRIBUTION)


def column_figure(result: TableRelease, name: str) -> dict[str, Any]:
    """The figure of a feature, or of the label (no name)."""
    if not name:
        assert result.file.labels is not None and result.y_private is not None
        shares = (
            pd.Series(codes).map(dict(enumerate(result.classes))).value_counts(normalize=True)
            for codes in (result.file.labels, result.y_private)
        )
        return level_distribution(*shares, title=LABEL_TITLE)
    feature = FEATURES[name]
    if not feature.is_category:
        unit = f" ({feature.unit})" if feature.unit not in ("", "$") else ""
        return number_distribution(
            result.file.frame[name],
            result.x_decoded[name],
            title=feature.title + unit,
            prefix="$" if feature.unit == "$" else "",
        )
    category = next(each for each in cache.model(result.mechanism).preprocessor.categories if each.name == name)
    before = result.file.frame[name].map(lambda value: level_of(category, value)).value_counts(normalize=True)
    before, after = (
        shares.rename(index=lambda level: level_name(feature, str(level))) for shares in (before, result.shares[name])
    )
    return level_distribution(before, after, title=feature.title)

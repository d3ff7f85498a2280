"""The features of a loan: human name, unit, range, allowed values, and what they mean.

Only what is known when a loan is granted is here: no payment, recovery, status or last
credit pull. Grade, sub-grade and interest rate are Lending Club's own judgement at that
moment, so they are known too.

The paper uses 23 features and names eight of them (appendix "Data Join"). The other fifteen
are our reading: with the eight they are exactly the columns that the usual preparation of
this table keeps. Two more, ``delinq_2yrs`` and ``inq_last_6mths``, stand in where a source
lacks some of the 23.

Ranges are for input fields and their checks; real loans outside them exist and are not
rejected by the preprocessor.
"""

from __future__ import annotations

from collections.abc import Iterable

from rlm_core.tables.feature import Feature
from rlm_core.tables.feature import category as _category
from rlm_core.tables.feature import count as _count
from rlm_core.tables.feature import number as _number

__all__ = ["FEATURES", "GRADES", "PAPER_FEATURES", "STAND_INS", "Feature", "features"]

GRADES = tuple("ABCDEFG")
SUB_GRADES = tuple(f"{grade}{step}" for grade in GRADES for step in range(1, 6))
EMPLOYMENT = ("< 1 year", "1 year", *(f"{years} years" for years in range(2, 10)), "10+ years", "n/a")
PURPOSES = (
    "car credit_card debt_consolidation educational home_improvement house major_purchase medical moving "
    "other renewable_energy small_business vacation wedding"
).split()
STATES = (
    "AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV "
    "NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY"
).split()

_FEATURES = (
    _number("loan_amnt", "Loan amount", "$", 500, 40_000, 25, "The amount the borrower asked for."),
    _category("term", "Term", ("36 months", "60 months"), "Number of monthly payments."),
    _number("int_rate", "Interest rate", "%", 5, 31, 0.01, "Yearly rate, set by Lending Club."),
    _number("installment", "Monthly payment", "$", 15, 1_750, 0.01, "Follows from amount, term and rate."),
    _category("grade", "Grade", GRADES, "Lending Club's risk class: A is the safest."),
    _category("sub_grade", "Sub-grade", SUB_GRADES, "Five steps in each grade."),
    _category("emp_length", "Employment length", EMPLOYMENT, "Years in this job; n/a if none was given."),
    _category(
        "home_ownership", "Home", ("MORTGAGE", "OWN", "RENT", "OTHER"), "OTHER includes what the table calls ANY, NONE."
    ),
    _number("annual_inc", "Yearly income", "$", 0, 1_000_000, 500, "As the borrower stated it."),
    _category(
        "verification_status",
        "Income check",
        ("Not Verified", "Source Verified", "Verified"),
        "Whether Lending Club checked the income, or only where it comes from.",
    ),
    _category("purpose", "Purpose", PURPOSES, "What the borrower wants the money for."),
    _category("addr_state", "State", STATES, "US state of the borrower's address."),
    _number("dti", "Debt-to-income ratio", "%", 0, 100, 0.01, "Monthly debt payments without mortgage."),
    _number(
        "earliest_cr_line",
        "Earliest credit line",
        "year",
        1930,
        2019,
        1 / 12,
        "When the first credit was opened, as a year with the month as fraction: 2003.25 is April 2003.",
    ),
    _count("open_acc", "Open credit lines", 100, "In the borrower's credit file."),
    _count("pub_rec", "Derogatory public records", 90, "Bankruptcies, tax liens, judgements."),
    _number("revol_bal", "Revolving balance", "$", 0, 3_000_000, 100, "Owed on credit cards and the like."),
    _number("revol_util", "Revolving line used", "%", 0, 200, 0.1, "Balance as a share of the limit."),
    _count("total_acc", "Credit lines ever", 180, "All lines in the borrower's credit file, open or closed."),
    _category("initial_list_status", "Listing", ("f", "w"), "For fractional (f) or whole (w) investors."),
    _category("application_type", "Application", ("Individual", "Joint App"), "One borrower or two."),
    _count("mort_acc", "Mortgages", 60, "Number of mortgage accounts."),
    _count("pub_rec_bankruptcies", "Bankruptcies", 15, "On public record."),
    _count("delinq_2yrs", "Late payments", 40, "Payments 30 days late or more in the last two years."),
    _count("inq_last_6mths", "Credit inquiries", 35, "In six months, not for car or mortgage."),
    _number("fico_range_low", "FICO score", "", 300, 850, 1, "Lower end of the range at application."),
)

FEATURES: dict[str, Feature] = {feature.name: feature for feature in _FEATURES}
"""Every feature the project knows, by column name."""

STAND_INS = ("delinq_2yrs", "inq_last_6mths")
"""Used where a source lacks some of the paper's features."""

PAPER_FEATURES = tuple(name for name in FEATURES if name not in (*STAND_INS, "fico_range_low"))
"""The 23 features of the paper (see above for how we know them)."""


def features(names: Iterable[str]) -> tuple[Feature, ...]:
    """The features of these columns.

    Raises:
        ValueError: A name is not a feature known when a loan is granted.
    """
    wanted = tuple(names)
    unknown = [name for name in wanted if name not in FEATURES]
    if unknown:
        raise ValueError(f"Expected features in {', '.join(FEATURES)}, got {', '.join(map(repr, unknown))}.")
    return tuple(FEATURES[name] for name in wanted)

"""Select features of wine: to predict with, in a pipeline, and all the smallest subsets."""

from __future__ import annotations

from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzyfrog import ReductSelector, SoftSelector

X, y = load_wine(return_X_y=True, as_frame=True)
model = make_pipeline(StandardScaler(), KNeighborsClassifier())
selectors = {
    "to predict with": SoftSelector(),
    "reduct, by frogs": ReductSelector(random_state=0),
    "reduct, by quickreduct": ReductSelector("quickreduct"),
}

# Selection is a step of the pipeline: every fold selects on its own training samples.
print("Accuracy in a 5-fold cross-validation")
print(f"   {'all 13 features':<26}{cross_val_score(model, X, y, cv=5).mean():.3f}")
for name, selector in selectors.items():
    accuracy = cross_val_score(make_pipeline(selector, model), X, y, cv=5)
    print(f"   {name:<26}{accuracy.mean():.3f}")

# The fewest that separate these samples: not one smallest subset, but all that were found.
selector = ReductSelector(random_state=0).fit(X, y)
print(
    f"\n{selector.n_features_} features separate these samples as well as all "
    f"{selector.n_features_in_}; {len(selector.reducts_)} such subsets were found."
)
print("The best subset found for each size:")
for point in selector.front_[: selector.n_features_]:
    print(f"   dependency {point.dependency:.4f}: {', '.join(point.names)}")
print("The features that occur most often in the smallest subsets:")
shares = zip(selector.feature_names_in_, selector.feature_frequency_, strict=True)
for name, share in sorted(shares, key=lambda item: -item[1])[:5]:
    print(f"   {share:4.0%} {name}")

# All of them have the same dependency: choose the one that suits you.
wanted = {"flavanoids", "proline"}
suitable = [i for i, reduct in enumerate(selector.reducts_) if wanted <= set(reduct.names)]
selector.select_reduct(suitable[0])
print(f"\n{len(suitable)} of them include {' and '.join(sorted(wanted))}. The first of these:")
print(f"   {', '.join(selector.get_feature_names_out())}\n")
print(selector.explain("flavanoids", limit=5))

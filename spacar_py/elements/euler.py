"""The condition on the Euler parameters of a frame: e = lambda.lambda - 1. Added silently to every frame."""

from .base import Element


class EulerCondition(Element):
    kind = "frame"
    slots = {"rp": "frame"}
    deformations = ("norm",)

    def describe(self, build):
        build.linear(0, build.norm("rp"))

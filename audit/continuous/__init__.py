"""The audit that goes on by itself: what is new within seconds, everything each night; what deviates becomes a finding."""

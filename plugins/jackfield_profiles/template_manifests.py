"""The content of a file of the kind `templates`."""

from __future__ import annotations

from jackfield.api.jsontext import Json
from jackfield.api.manifests import Manifest
from jackfield_profiles.schemas import Name, ProfilePresets


class TemplateProfile(ProfilePresets):
    """The fields that a profile of the template has where the request says nothing. A template has no key."""

    provider_id: Name | None = None


class ProfileTemplate(Manifest):
    """agent_id: the template is for this agent alone; None: for every one."""

    description: str = ""
    agent_id: Name | None = None
    profile: TemplateProfile

    @property
    def fields(self) -> dict[str, Json]:
        """As a request for a profile has them; only those that the template names."""
        return self.profile.model_dump(mode="json", exclude_unset=True)

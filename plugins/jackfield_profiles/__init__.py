"""Profiles: an agent bound to a provider and a model, with its own home; stored, configured and run."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later
from jackfield.api.profile_imports import ProfileImports


class ProfilesPlugin(Plugin):
    """Profiles: an agent bound to a provider and a model, with its own home; stored, configured and run."""

    name = "profiles"
    first_process_only = True
    settings = (
        SettingsTable("profiles", "jackfield_profiles.settings:ProfilesSettings"),
        SettingsTable("profiles.run", "jackfield_profiles.running_settings:RunSettings"),
        SettingsTable("directories", "jackfield_profiles.settings:DirectorySettings"),
        SettingsTable("defaults", "jackfield_profiles.settings:DefaultsSettings"),
        SettingsTable("hooks", "jackfield_profiles.preferences:HookPreferences"),
        SettingsTable("mcp_servers", "jackfield_profiles.preferences:ServerPreferences"),
        SettingsTable("custom", "jackfield_profiles.preferences:CustomPreferences"),
    )
    commands = (
        "jackfield_profiles.commands.profiles:profiles",
        "jackfield_profiles.commands.scripts:scripts",
        "jackfield_profiles.commands.hooks:hooks",
        "jackfield_profiles.commands.init:init",
        "jackfield_profiles.commands.environments:env_group",
        "jackfield_profiles.commands.shims:shims",
        "jackfield_profiles.commands.templates:templates",
    )
    provides = {
        "jackfield.api.profiles:Profiles": "jackfield_profiles.service:ProfileService",
        ProfileImports: "jackfield_profiles.imports:ImportedProfiles",
        "jackfield.api.portable_documents:PortableProfiles": "jackfield_profiles.portable.documents:ProfileDocuments",
        "jackfield.api.profiles:ProviderKeys": "jackfield_profiles.keys.store:key_store",
        "jackfield.api.profiles:Shells": "jackfield_profiles.launching.shells:ShellLauncher",
        "jackfield_profiles.ports:ProfileCreation": "jackfield_profiles.editing.creating:ProfileCreator",
        "jackfield_profiles.ports:ProfileChanges": "jackfield_profiles.editing.changing:ProfileEditor",
        "jackfield_profiles.ports:ProfileRemoval": "jackfield_profiles.editing.deleting:ProfileRemover",
        "jackfield_profiles.ports:ProfileLaunching": "jackfield_profiles.launching.launcher:ProfileLauncher",
        "jackfield_profiles.ports:HeadlessRuns": "jackfield_profiles.launching.headless_runs:HeadlessRunner",
    }
    parts = (
        "jackfield_profiles.launching.placement:AgentPlacement",
        "jackfield_profiles.storage.profiles:ProfileStore",
        "jackfield_profiles.keys.store:KeyStore",
        "jackfield_profiles.shims:Shims",
    )

    jackfield_manifest_kinds = later("jackfield_profiles.manifest_kind:KINDS")
    jackfield_nodes = later("jackfield_profiles.offers:nodes")
    jackfield_blueprints = later("jackfield_profiles.routes.profiles:blueprints")
    jackfield_host_resources = later("jackfield_profiles.host_resources:resources")
    jackfield_sealed_values = later("jackfield_profiles.keys.resealing:sealed_values")
    jackfield_findings = later("jackfield_profiles.findings:findings")
    jackfield_metrics = later("jackfield_profiles.findings:metrics")
    start = deferred("jackfield_profiles.upkeep:start")

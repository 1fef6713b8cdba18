import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  { languageOptions: { ecmaVersion: 2022, globals: { ...globals.browser, ...globals.worker } } },
  { files: ["**/*.test.mjs"], languageOptions: { globals: globals.node } },
];

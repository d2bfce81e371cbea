export const PAGE: Record<string, string>;

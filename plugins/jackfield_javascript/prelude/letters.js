// Letters in ASCII: Latin, Greek and Cyrillic ones, and signs. Compiled when a script first asks for it.
(function (kit) {
  'use strict';

  // What taking accents away does not make. A letter, and what it becomes.
  const TABLE =
    `¡! ¢C/ £PS ¤$? ¥Y= ¦| §SS ¨" ©(c) «<< ¬! ®(r) ¯- °deg ±+- ´' µu ¶P ·* ¸, »>> ¼1/4 ½1/2 ¾3/4 ÆAE ÐD ×x ØO ÝU ÞTh ßss æae ðd ÷/
    øo þth ĐD đd ĦH ħh ıi ĸk ŁL łl ŉ'n ŊNG ŋng ŒOE œoe ŦT ŧt ʹ' ͵, ΆA ·; ΈE ΉI ΊI ΌO ΎU ΏO ΐI ΑA ΒV ΓG ΔD ΕE ΖZ ΗI ΘTh ΙI ΚK ΛL
    ΜM ΝN ΞX ΟO ΠP ΡR ΣS ΤT ΥY ΦF ΧH ΨPs ΩO ΪI ΫY άa έe ήi ίi ΰy αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr ςs σs τt υy
    φf χh ψps ωo ϊi ϋy όo ύy ώo ϐb ϑth ϒU ϓU ϔU ϕph ϖp ϗ& ϚSt ϛst ϜW ϝw ϞQ ϟq ϠSp ϡsp ϢSh ϣsh ϤF ϥf ϦKh ϧkh ϨH ϩh ϪG ϫg ϬCH ϭch
    ϮTi ϯti ϰk ϱr ϲc ϳj ЀJo ЁYo ЂDj ЃGj ЄIe ЅDz ІI ЇYi ЈJ ЉLj ЊNj ЋTsh ЌKj ЍI ЎU ЏDzh АA БB ВV ГG ДD ЕE ЖZh ЗZ ИI ЙY КK ЛL МM НN
    ОO ПP РR СS ТT УU ФF ХH ЦC ЧCh ШSh ЩShch ЫY ЭE ЮYu ЯYa аa бb вv гg дd еe жzh зz иi йy кk лl мm нn оo пp рr сs тt уu фf хh цc
    чch шsh щshch ыy эe юyu яya ѐje ёyo ђdj ѓgj єie ѕdz іi їyi јj љlj њnj ћtsh ќkj ѝi ўu џdzh ҐG' ґg' ‐- ‑- ‒- –- —-- ―-- ‖|| ‗_
    ‘' ’' ‚, ‛' “" ”" „,, ‟" †+ ‡++ •* ‣*> ‧. ‰%0 ‱%00 ′' ″'' ‴''' ‵\` ‶\`\` ‷\`\`\` ‸^ ‹< ›> ※* ‽!? ‾- ‿_ ₩W ₪NS ₫D €EU №no ™(tm)`.split(/\s+/);
  const LETTERS = new Map(TABLE.map((pair) => [pair[0], pair.slice(1)]));
  for (const letter of 'ЪЬъь') LETTERS.set(letter, '');
  const bare = (letter) => letter.normalize('NFKD').replace(/[^\0-\x7f]/g, '');
  const isMark = /^\p{M}$/u;

  function plain(letter) {
    if (letter <= '\x7f' || isMark.test(letter)) return letter <= '\x7f' ? letter : '';
    return LETTERS.get(letter) ?? (bare(letter) || '?');
  }
  kit.plainLetters = (text) => Array.from(text, plain).join('');
});
